import { EXIT } from '../../failure.js';
import { takeSignals } from '../../interruption.js';
import type { Look } from '../../render/look.js';
import { type Content, contentOf, wholeText } from '../editor/buffer.js';
import type { Completion } from '../editor/completion/menu.js';
import { drawingOf } from '../editor/drawing.js';
import type { Effect } from '../editor/state.js';
import type { Front, Happening, Status, Wish } from '../front.js';
import { createMailbox } from '../mailbox.js';
import type { Terminal } from '../terminal/terminal.js';
import { createDrafts, type Drafts } from './drafts.js';
import type { HeavyDrawing } from './drawing.js';
import { createEditorInput, type EditorInput } from './input.js';
import { liveBlock } from './live.js';
import { writtenOutside } from './outside_editor.js';
import { type ScreenTranscript, screenTranscript } from './transcript.js';

export interface ScreenParts {
  terminal: Terminal;
  home: string;
  /** How to draw in so many columns at this moment. */
  look: (columns: number) => Look;
  history: readonly Content[];
  completion: Completion;
  /** Resolves when answers and changes can be drawn. */
  drawing: Promise<HeavyDrawing>;
  nowMs: () => number;
}

/** A second Ctrl-C within this time leaves. */
const AGAIN_MS = 1_000;
const TICK_MS = 1_000;
/** What terminals take as a clipboard, as base64. */
const COPIED_LENGTH_MAX = 74_994;
const PLACEHOLDER = 'Say something, or /help';
const NO_TOKENS = { input: 0, cached: 0, output: 0 };

interface Desk {
  parts: ScreenParts;
  transcript: ScreenTranscript;
  input: EditorInput;
  drafts: Drafts;
  wishes: ReturnType<typeof createMailbox<Wish>>;
  status: Status;
  hint: string | null;
  interruptedMs: number;
  turnSinceMs: number;
  timer: NodeJS.Timeout | undefined;
}

export interface ScreenFront extends Front {
  /** The tree that is open. */
  tree(): string;
  /** Looks again for what can be completed. */
  refresh(): void;
}

/** A conversation on a terminal: what is finished above, and at the bottom what still changes, with an editor. */
export function screenFront(parts: ScreenParts): ScreenFront {
  const { terminal } = parts;
  const desk = openDesk(parts);
  let last = Promise.resolve();
  const release = takeSignals((code) => {
    // Whatever comes of leaving in order, what was being written is kept.
    desk.drafts.save(desk.status.tree);
    desk.wishes.put({ kind: 'leave', code });
  });
  terminal.onInput(desk.input.type);
  terminal.onResize(() => draw(desk));
  terminal.onGone(() => desk.wishes.put({ kind: 'leave', code: EXIT.hungUp }));
  draw(desk);
  return {
    attended: true,
    isAppendOnly: false,
    columns: () => terminal.size().columns,
    show(shown) {
      last = last.then(() => show(desk, shown));
      return last;
    },
    update(change) {
      const { tree, turn } = desk.status;
      if (turn === null && change.turn === 'running') desk.turnSinceMs = parts.nowMs();
      desk.status = { ...desk.status, ...change };
      if (desk.status.tree !== tree) openTree(desk, tree);
      draw(desk);
    },
    wishes: () => wishesOf(desk),
    async giveBack(text) {
      desk.input.insert(text);
    },
    copy: (text) => copied(text),
    tree: () => desk.status.tree,
    refresh: desk.input.refresh,
    async close() {
      release();
      await last;
      clearInterval(desk.timer);
      desk.drafts.save(desk.status.tree);
      desk.drafts.stop();
      desk.input.stop();
      terminal.setLive({ lines: [], cursor: null });
      terminal.close();
    },
  };
}

function openDesk(parts: ScreenParts): Desk {
  const { terminal, home, history, completion, nowMs } = parts;
  const look = (): Look => parts.look(terminal.size().columns);
  let heavy: HeavyDrawing | null = null;
  void parts.drawing.then((loaded) => {
    heavy = loaded;
  });
  const desk: Desk = {
    parts,
    transcript: screenTranscript({ look, heavy: () => heavy, nowMs }),
    input: createEditorInput({
      ...{ history, completion, columns: () => terminal.size().columns, ruler: look().ruler },
      isRunning: () => isBusy(desk),
      changed: () => changed(desk),
      act: (effect) => act(desk, effect),
    }),
    drafts: createDrafts({
      home,
      written: () => contentOf(desk.input.state().buffer),
      failed: (reason) => hint(desk, `what you write cannot be kept: ${reason}`),
    }),
    wishes: createMailbox<Wish>(),
    status: {
      ...{ tree: '', name: '', position: '', model: null, turn: null, queued: [], network: false, unsandboxed: false },
      ...{ tokens: { turn: NO_TOKENS, total: NO_TOKENS }, costMicrodollars: null },
    },
    ...{ hint: null, interruptedMs: 0, turnSinceMs: 0, timer: undefined },
  };
  return desk;
}

function draw(desk: Desk): void {
  const { terminal, nowMs } = desk.parts;
  const { columns, rows } = terminal.size();
  const look = desk.parts.look(columns);
  const editor = drawingOf(desk.input.state(), PLACEHOLDER);
  const live = {
    rows: desk.transcript.live(nowMs()),
    editor,
    status: desk.status,
    hint: desk.hint,
    elapsedMs: nowMs() - desk.turnSinceMs,
  };
  terminal.setLive(liveBlock(live, look, rows));
  tick(desk);
}

/** A timer runs only while something is shown that time changes. */
function tick(desk: Desk): void {
  if (isBusy(desk)) desk.timer ??= setInterval(() => draw(desk), TICK_MS);
  else {
    clearInterval(desk.timer);
    desk.timer = undefined;
  }
}

async function show(desk: Desk, shown: Happening): Promise<void> {
  const { terminal } = desk.parts;
  if (shown.kind === 'answer_grew' || shown.kind === 'call_ended') await desk.parts.drawing;
  for (const text of desk.transcript.take(shown)) terminal.append(text);
  draw(desk);
  await terminal.ready();
}

function changed(desk: Desk): void {
  desk.hint = null;
  if (desk.status.tree !== '') desk.drafts.changed(desk.status.tree);
  draw(desk);
}

function hint(desk: Desk, text: string): void {
  desk.hint = text;
  draw(desk);
}

/** What was being written in another conversation is kept for it. */
function openTree(desk: Desk, before: string): void {
  if (before !== '') desk.drafts.save(before);
  const draft = desk.drafts.load(desk.status.tree);
  if (before !== '' || draft !== null) desk.input.replace(draft ?? []);
}

function isBusy({ status, transcript }: Desk): boolean {
  return status.turn !== null || transcript.isTimed();
}

/** What the keys mean that are not about the text. */
function act(desk: Desk, effect: Effect): void {
  const { terminal } = desk.parts;
  switch (effect.kind) {
    case 'submit':
      desk.drafts.save(desk.status.tree);
      void desk.drafts.sent(effect.content);
      desk.wishes.put({ kind: 'line', text: effect.text, when: effect.how === 'queue' ? 'after' : 'now' });
      break;
    case 'interrupt':
      interrupt(desk, effect.cleared);
      break;
    case 'leave':
      desk.wishes.put({ kind: 'leave', code: EXIT.ok });
      break;
    case 'escape':
      if (isBusy(desk)) desk.wishes.put({ kind: 'stop' });
      break;
    case 'edit_outside':
      void editOutside(desk);
      break;
    case 'redraw':
      terminal.redraw();
      break;
    case 'suspend':
      terminal.suspend();
      break;
    case 'expand':
    case 'switch_mode':
    case 'tab':
    case 'page':
      break;
  }
}

/** Ctrl-C: first what is written goes, then what runs is ended, then, twice, one leaves. */
function interrupt(desk: Desk, cleared: boolean): void {
  const nowMs = desk.parts.nowMs();
  if (cleared) hint(desk, 'Cleared. Ctrl-_ brings it back.');
  else if (isBusy(desk)) desk.wishes.put({ kind: 'stop' });
  else if (nowMs - desk.interruptedMs < AGAIN_MS) desk.wishes.put({ kind: 'leave', code: EXIT.ok });
  else {
    desk.interruptedMs = nowMs;
    hint(desk, 'Ctrl-C once more leaves. The conversation stays.');
  }
}

async function editOutside(desk: Desk): Promise<void> {
  try {
    const text = await writtenOutside(desk.parts.terminal, wholeText(desk.input.state().buffer));
    if (text !== null) desk.input.replace([text]);
  } catch (error) {
    hint(desk, `the editor could not be started: ${String(error)}`);
  }
}

async function* wishesOf({ wishes }: Desk): AsyncGenerator<Wish> {
  for (;;) {
    await wishes.filled();
    const wish = wishes.take();
    if (wish !== undefined) yield wish;
  }
}

/** Asks the terminal to take a text into the clipboard (OSC 52); it does not say whether it has. */
function copied(text: string): boolean {
  const data = Buffer.from(text).toString('base64');
  if (data.length > COPIED_LENGTH_MAX) return false;
  process.stdout.write(`\x1b]52;c;${data}\x07`);
  return true;
}
