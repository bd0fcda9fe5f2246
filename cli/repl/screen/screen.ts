import { detach, neverFails } from '../../../hub/base/detach.js';
import { takeSignals } from '../../command_line/interruption.js';
import { EXIT } from '../../output/failure.js';
import type { Look } from '../../render/look/look.js';
import { unsent } from '../editor/actions/history_keys.js';
import { textOfContent } from '../editor/state/buffer.js';
import type { ChatFront } from '../front/chat_front.js';
import type { DisplayEvent, FrontAction } from '../front/front.js';
import { createWaitingItems } from '../front/waiting_items.js';
import { createAlternate } from './alternate_screen.js';
import { chatOutput } from './chat_output.js';
import { copied } from './clipboard.js';
import { createDrafts } from './drafts.js';
import { createEditorInput } from './editor_input.js';
import { act } from './effects.js';
import type { HeavyDrawing } from './lazy_renderers.js';
import { editFile } from './outside_editor.js';
import { createPermission } from './permission_keys.js';
import { createStatusRefresh, isAboutPlace } from './refresh_status.js';
import { draw, hint, isBusy, putLine, type ScreenParts, type ScreenState } from './screen_state.js';

const NO_TOKENS = { input: 0, cached: 0, output: 0 };

export interface ScreenFront extends ChatFront {
  /** The tree that is open. */
  tree(): string;
  /** Looks again for what can be completed. */
  refresh(): void;
}

/** A conversation on a terminal: what is finished above, and at the bottom what still changes, with an editor. */
export function screenFront(parts: ScreenParts): ScreenFront {
  const { terminal } = parts;
  const desk = openScreenState(parts);
  let last = Promise.resolve();
  const release = takeSignals((code) => {
    // Whatever comes of leaving in order, what was being written is kept.
    desk.drafts.save(desk.status.tree);
    desk.actions.put({ kind: 'leave', code });
  });
  terminal.onInput(desk.input.type);
  terminal.onResize(() => draw(desk));
  terminal.onGone(() => desk.actions.put({ kind: 'leave', code: EXIT.hungUp }));
  draw(desk);
  return {
    attended: true,
    isAppendOnly: false,
    columns: () => terminal.size().columns,
    show(event) {
      last = last.then(() => show(desk, event));
      return last;
    },
    update(change) {
      const { tree, turn } = desk.status;
      if (turn === null && change.turn === 'running') desk.turnSinceMs = parts.nowMs();
      if (change.asks === 'approval' && desk.status.asks !== 'approval') desk.permission.asked();
      desk.status = { ...desk.status, ...change };
      if (desk.status.tree !== tree) openTree(desk, tree);
      draw(desk);
      desk.alternate.changed();
      if (isAboutPlace(change)) desk.statusRefresh?.refresh();
    },
    actions: () => wishesOf(desk),
    async giveBack(text) {
      desk.input.insert(text);
    },
    copy: (text) => copied(terminal, text),
    edit: (file) => editFile(terminal, file),
    attach(repl) {
      desk.alternate.attach(repl);
      desk.isMade = () => repl.conversation().isMade();
      if (!desk.isMade()) adoptDraft(desk);
      desk.statusRefresh = createStatusRefresh(repl);
      desk.statusRefresh.refresh();
    },
    treeChanged: () => desk.alternate.changed(),
    tree: () => desk.status.tree,
    refresh: desk.input.refresh,
    async close() {
      release();
      await last;
      clearInterval(desk.timer);
      desk.drafts.save(desk.status.tree);
      desk.drafts.stop();
      desk.input.stop();
      desk.permission.stop();
      terminal.setLive({ lines: [], cursor: null });
      await terminal.close();
    },
  };
}

function openScreenState(parts: ScreenParts): ScreenState {
  const { terminal, home, history, completion, nowMs } = parts;
  const look = (): Look => parts.look(terminal.size().columns);
  let heavy: HeavyDrawing | null = null;
  const load = async (): Promise<void> => {
    heavy = await parts.drawing;
  };
  detach(load(), neverFails);
  const desk: ScreenState = {
    parts,
    output: chatOutput({ look, heavy: () => heavy, nowMs }),
    input: createEditorInput({
      ...{ history, completion, columns: () => terminal.size().columns, ruler: look().ruler },
      marksPastes: parts.marksPastes,
      isRunning: () => isBusy(desk),
      isElsewhere: (key) => desk.alternate.take(key) || desk.permission.take(key),
      changed: () => changed(desk),
      act: (effect) => act(desk, effect),
    }),
    drafts: createDrafts({
      home,
      written: () => unsent(desk.input.state()),
      isMade: () => desk.isMade(),
      failed: (reason) => hint(desk, `what you write cannot be kept: ${reason}`),
    }),
    actions: createWaitingItems<FrontAction>(),
    permission: createPermission({
      isAsked: () => desk.status.asks === 'approval',
      isEmpty: () => desk.input.state().buffer.text === '',
      say: (line) => putLine(desk, line, 'now'),
      changed: () => draw(desk),
    }),
    alternate: createAlternate({
      ...{ terminal, look: parts.look, status: () => desk.status },
      say: (line) => putLine(desk, line, 'now'),
      type: (key) => desk.input.take(key),
      replace: (text) => desk.input.replace([text]),
      hint: (text) => hint(desk, text),
      left: () => draw(desk),
    }),
    status: {
      ...{ tree: '', name: '', position: '', model: null, turn: null, queued: [], waiting: [] },
      ...{ isSlow: false, hub: null, retryAtMs: null, network: false, unsandboxed: false },
      ...{ activity: 'Execute', contextShare: null, asks: null },
      ...{ tokens: { turn: NO_TOKENS, total: NO_TOKENS }, costMicrodollars: null },
    },
    isMade: () => true,
    ...{
      hint: null,
      interruptedMs: 0,
      turnSinceMs: 0,
      isOutside: false,
      leftAtLine: '',
      timer: undefined,
      statusRefresh: null,
    },
  };
  return desk;
}

async function show(desk: ScreenState, event: DisplayEvent): Promise<void> {
  const { terminal } = desk.parts;
  if (needsDrawing(event)) await desk.parts.drawing;
  for (const text of desk.output.take(event)) terminal.append(text);
  draw(desk);
  await terminal.ready();
}

/** Whether an event is drawn with what is loaded after the first prompt. */
function needsDrawing(event: DisplayEvent): boolean {
  if (event.kind === 'block_grew') return event.block.kind === 'answer';
  return event.kind === 'block_ended' && event.block.kind === 'call';
}

function changed(desk: ScreenState): void {
  desk.hint = null;
  if (desk.status.tree !== '') desk.drafts.changed(desk.status.tree);
  draw(desk);
}

/** What was being written in another conversation is kept for it. */
function openTree(desk: ScreenState, before: string): void {
  const { drafts, input, status } = desk;
  // A conversation takes a moment to open, and one may have begun to write meanwhile.
  const isAhead = desk.leftAtLine === '' && input.state().buffer.text !== '';
  if (before !== '') {
    if (isAhead) drafts.forget(before);
    else drafts.save(before);
  }
  const draft = drafts.load(status.tree);
  if (!isAhead) {
    if (before !== '' || draft !== null) input.replace(draft ?? []);
    return;
  }
  if (draft === null) drafts.changed(status.tree);
  else input.insert(textOfContent(draft));
}

/** What was left unsaid in a new conversation goes on in the next new one. */
function adoptDraft(desk: ScreenState): void {
  if (desk.input.state().buffer.text !== '') return;
  const draft = desk.drafts.adopt(desk.status.tree);
  if (draft === null) return;
  desk.input.replace(draft);
  hint(desk, 'This was being written when a chat ended.');
}

async function* wishesOf({ actions: wishes }: ScreenState): AsyncGenerator<FrontAction> {
  for (;;) {
    await wishes.filled();
    const wish = wishes.take();
    if (wish !== undefined) yield wish;
  }
}
