import { detach, neverFails } from '../../../hub/base/detach.js';
import { takeSignals } from '../../command_line/interruption.js';
import { EXIT } from '../../output/failure.js';
import type { Sink } from '../../output/sink.js';
import type { Look } from '../../render/look/look.js';
import { runBeside } from '../../turn/key_command.js';
import { isStopLine } from '../lines/stop_line.js';
import type { ChatFront } from './chat_front.js';
import type { FrontAction, Status } from './front.js';
import { type PlainStyle, plainOutput } from './plain_output.js';
import { typedLines, withoutKeys } from './typed_lines.js';
import { createWaitingItems } from './waiting_items.js';

export interface PlainParts {
  input: AsyncIterable<Uint8Array>;
  out: Sink;
  err: Sink;
  look: Look;
  style: PlainStyle;
  attended: boolean;
}

/** What is nothing where only lines are shown. */
const WITHOUT_SCREEN = {
  rows: () => Number.POSITIVE_INFINITY,
  copy: () => false,
  edit: async () => false,
  page: async () => false,
  chooseConversation: () => false,
  runListened: runBeside,
  attach: () => undefined,
  treeChanged: () => undefined,
};

/** Shows a conversation as lines that are only ever appended, and reads it line by line. */
export function plainFront({ input, out, err, look, style, attended }: PlainParts): ChatFront {
  const print = plainOutput(look, style);
  const notes = statusNotes();
  const signals = createWaitingItems<FrontAction>();
  const release = takeSignals((code) => {
    // The terminal has shown `^C` in the row.
    if (attended && code === EXIT.interrupted) put('stdout', '\n');
    signals.put(actionOf(code));
  });
  let last = Promise.resolve();
  let isPromptDue = false;
  /** Whether what is typed stands behind a prompt. */
  let isPrompted = false;
  const write = (to: 'stdout' | 'stderr', text: string): Promise<void> => {
    last = last.then(() => (to === 'stdout' ? out : err).write(text));
    return last;
  };
  const put = (to: 'stdout' | 'stderr', text: string): void => detach(write(to, text), neverFails);
  return {
    attended,
    isAppendOnly: true,
    columns: () => look.width,
    async show(event) {
      for (const { to, text } of print(event)) put(to, text);
      await last;
    },
    update(change) {
      for (const text of notes(change)) put('stderr', text);
    },
    actions(idle) {
      const lines = typedLines(input);
      return actionsFrom(() => nextLine(lines, idle), signals);
    },
    // There is no editor that could take it: it stands in what was typed, or in the script.
    giveBack: (text) => write('stderr', notSent(text)),
    ...WITHOUT_SCREEN,
    async close() {
      release();
      await last;
      await out.end();
    },
  };

  /** A person may write at any time; the prompt appears when nothing runs. */
  async function prompt(idle: () => Promise<void>): Promise<void> {
    if (isPromptDue || !attended || !style.echoed) return;
    isPromptDue = true;
    await idle();
    isPromptDue = false;
    isPrompted = true;
    await write('stdout', '> ');
  }

  async function nextLine(
    lines: AsyncGenerator<FrontAction>,
    idle: () => Promise<void>,
  ): Promise<IteratorResult<FrontAction>> {
    detach(prompt(idle), neverFails);
    const next = await lines.next();
    // Whoever types a line ends it; at the end of all nobody has.
    if (next.done === true && isPrompted) await write('stdout', '\n');
    isPrompted = false;
    // A script says the next thing when the last has been done, unless it is that the last should end.
    const isStop = next.done !== true && next.value.kind === 'line' && isStopLine(next.value.text);
    // At the end of all what runs is waited for here, where a signal still ends it.
    if (next.done === true || (!attended && !isStop)) await idle();
    return next.done !== true && attended ? { done: false, value: withoutKeys(next.value) } : next;
  }
}

function notSent(text: string): string {
  return `(not sent: ${text.length > 60 ? `${text.slice(0, 60)}…` : text})\n`;
}

/** What is said of changes for which a terminal has a place of its own. */
function statusNotes(): (change: Partial<Status>) => string[] {
  let queued = 0;
  let held = 0;
  return ({ hub, turn, queued: said, waiting }) => {
    const notes: string[] = [];
    if (hub != null) notes.push(`(${hub})\n`);
    if (turn === 'stopping') notes.push('stopping…\n');
    if (said !== undefined && said.length > queued) notes.push('(it waits for the model)\n');
    queued = said?.length ?? queued;
    if (waiting !== undefined && waiting.length > held) notes.push('(it waits for what runs; Ctrl-C ends that)\n');
    held = waiting?.length ?? held;
    return notes;
  };
}

function actionOf(code: number): FrontAction {
  return code === EXIT.interrupted ? { kind: 'stop' } : { kind: 'leave', code };
}

/** Lines as they are asked for, and signals at once. */
async function* actionsFrom(
  nextLine: () => Promise<IteratorResult<FrontAction>>,
  signals: ReturnType<typeof createWaitingItems<FrontAction>>,
): AsyncGenerator<FrontAction> {
  let line = nextLine();
  for (;;) {
    const got = await Promise.race([line, signals.filled().then(() => null)]);
    const signal = signals.take();
    if (signal !== undefined) yield signal;
    if (got === null) continue;
    if (got.done === true) return;
    yield got.value;
    line = nextLine();
  }
}
