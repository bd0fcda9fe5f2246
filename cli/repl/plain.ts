import { EXIT } from '../failure.js';
import { takeSignals } from '../interruption.js';
import type { Look } from '../render/look.js';
import type { Sink } from '../sink.js';
import type { Front, Wish } from './front.js';
import { createMailbox } from './mailbox.js';
import { type PlainStyle, plainTranscript } from './plain_transcript.js';
import { typedLines } from './typed_lines.js';

export interface PlainParts {
  input: AsyncIterable<Uint8Array>;
  out: Sink;
  err: Sink;
  look: Look;
  style: PlainStyle;
  attended: boolean;
}

/** Shows a conversation as lines that are only ever appended, and reads it line by line. */
export function plainFront({ input, out, err, look, style, attended }: PlainParts): Front {
  const transcript = plainTranscript(look, style);
  const signals = createMailbox<Wish>();
  const release = takeSignals((code) => signals.put(wishOf(code)));
  let last = Promise.resolve();
  let queued = 0;
  let held = 0;
  let isPromptDue = false;
  const write = (to: 'stdout' | 'stderr', text: string): Promise<void> => {
    last = last.then(() => (to === 'stdout' ? out : err).write(text));
    return last;
  };
  return {
    attended,
    isAppendOnly: true,
    columns: () => look.width,
    async show(shown) {
      for (const { to, text } of transcript(shown)) void write(to, text);
      await last;
    },
    update(change) {
      if (change.turn === 'stopping') void write('stderr', 'stopping…\n');
      if (change.queued !== undefined && change.queued.length > queued)
        void write('stderr', '(it waits for the model)\n');
      queued = change.queued?.length ?? queued;
      if (change.waiting !== undefined && change.waiting.length > held)
        void write('stderr', '(it waits for the command that runs; Ctrl-C ends that)\n');
      held = change.waiting?.length ?? held;
    },
    wishes: (idle) => wishesFrom(typedLines(input), signals, () => ready(idle)),
    giveBack: async (text) => {
      // There is no editor that could take it: it stands in what was typed, or in the script.
      await write('stderr', `(not sent: ${text.length > 60 ? `${text.slice(0, 60)}…` : text})\n`);
    },
    copy: () => false,
    edit: async () => false,
    attach: () => undefined,
    treeChanged: () => undefined,
    async close() {
      release();
      await last;
      await out.end();
    },
  };

  /** A person may say something at any time; a script says the next thing when the last has been done. */
  async function ready(idle: () => Promise<void>): Promise<void> {
    if (!attended) return idle();
    if (isPromptDue || !style.echoed) return;
    isPromptDue = true;
    void idle().then(() => {
      isPromptDue = false;
      void write('stdout', '> ');
    });
  }
}

function wishOf(code: number): Wish {
  return code === EXIT.interrupted ? { kind: 'stop' } : { kind: 'leave', code };
}

/** Lines as they are asked for, and signals at once. */
async function* wishesFrom(
  lines: AsyncGenerator<Wish>,
  signals: ReturnType<typeof createMailbox<Wish>>,
  ready: () => Promise<void>,
): AsyncGenerator<Wish> {
  const next = (): Promise<IteratorResult<Wish> | null> => ready().then(() => lines.next());
  let line = next();
  for (;;) {
    const got = await Promise.race([line, signals.filled().then(() => null)]);
    const signal = signals.take();
    if (signal !== undefined) yield signal;
    if (got === null) continue;
    if (got.done === true) return;
    yield got.value;
    line = next();
  }
}
