import { detach, neverFails } from '../../../hub/base/detach.js';
import { takeSignals } from '../../command_line/interruption.js';
import { EXIT } from '../../output/failure.js';
import type { Look } from '../../render/look/look.js';
import { NO_TOKENS } from '../conversation/token_totals.js';
import { unsent } from '../editor/actions/history_keys.js';
import type { Key } from '../editor/keys/key.js';
import { textOfContent } from '../editor/state/buffer.js';
import { attentionSequence } from '../front/attention.js';
import type { ChatFront } from '../front/chat_front.js';
import type { DisplayEvent, FrontAction, Status } from '../front/front.js';
import { createWaitingItems } from '../front/waiting_items.js';
import { createAlternate } from './alternate_screen.js';
import { chatOutput } from './chat_output.js';
import { copied } from './clipboard.js';
import { createDrafts } from './drafts.js';
import { createEditorInput } from './editor_input.js';
import { act } from './effects.js';
import type { HeavyDrawing } from './lazy_renderers.js';
import { editFile } from './outside_editor.js';
import { pageText } from './outside_pager.js';
import { asksByKey, createPermission } from './permission_keys.js';
import { createStatusRefresh, isAboutPlace } from './refresh_status.js';
import { draw, hint, isBusy, putLine, type ScreenParts, type ScreenState } from './screen_state.js';

export interface ScreenFront extends ChatFront {
  /** The tree that is open. */
  tree(): string;
  /** Refreshes the completions. */
  refresh(): void;
}

/** A conversation on a terminal: finished output above, the live block with the editor below. */
export function screenFront(parts: ScreenParts): ScreenFront {
  const { terminal } = parts;
  const screen = openScreenState(parts);
  let last = Promise.resolve();
  const release = takeSignals((code) => {
    // The draft is kept even if leaving fails.
    screen.drafts.save(screen.status.tree);
    screen.actions.put({ kind: 'leave', code });
  });
  terminal.onInput(screen.input.type);
  terminal.onResize(() => draw(screen));
  terminal.onGone(() => screen.actions.put({ kind: 'leave', code: EXIT.hungUp }));
  draw(screen);
  return {
    attended: true,
    isAppendOnly: false,
    columns: () => terminal.size().columns,
    rows: () => terminal.size().rows,
    show(event) {
      last = last.then(() => show(screen, event));
      return last;
    },
    update: (change) => update(screen, change),
    actions: () => takeActions(screen),
    async giveBack(text) {
      screen.input.insert(text);
    },
    copy: (text) => copied(terminal, text),
    edit: (file) => editFile(terminal, file),
    page: (text) => pageText(terminal, text, parts.pager),
    chooseConversation() {
      screen.alternate.open('conversations');
      return true;
    },
    runListened: terminal.runChild,
    attach(repl) {
      screen.alternate.attach(repl);
      screen.isMade = () => repl.conversation().isMade();
      if (!screen.isMade()) adoptDraft(screen);
      screen.statusRefresh = createStatusRefresh(repl);
      screen.statusRefresh.refresh();
    },
    treeChanged: () => screen.alternate.changed(),
    tree: () => screen.status.tree,
    refresh: screen.input.refresh,
    async close() {
      release();
      await last;
      clearInterval(screen.timer);
      screen.drafts.save(screen.status.tree);
      screen.drafts.stop();
      screen.input.stop();
      screen.permission.stop();
      terminal.setLive({ lines: [], cursor: null });
      await terminal.close();
    },
  };
}

function update(screen: ScreenState, change: Partial<Status>): void {
  const { nowMs, attention, terminal } = screen.parts;
  const before = screen.status;
  if (before.turn === null && change.turn === 'running') screen.turnSinceMs = nowMs();
  screen.status = { ...before, ...change };
  if (asksByKey(screen.status) && !asksByKey(before)) screen.permission.wait();
  const turnMs = nowMs() - screen.turnSinceMs;
  const call = attentionSequence(attention, { before, after: screen.status, turnMs });
  if (call !== '') terminal.send(call);
  if (screen.status.tree !== before.tree) openTree(screen, before.tree);
  draw(screen);
  screen.alternate.changed();
  if (isAboutPlace(change)) screen.statusRefresh?.refresh();
}

function openScreenState(parts: ScreenParts): ScreenState {
  const { terminal, home, history, completion, nowMs } = parts;
  const look = (): Look => parts.look(terminal.size().columns);
  let heavy: HeavyDrawing | null = null;
  const load = async (): Promise<void> => {
    heavy = await parts.drawing;
  };
  detach(load(), neverFails);
  const screen: ScreenState = {
    parts,
    output: chatOutput({ look, heavy: () => heavy, isInWords: parts.isInWords, nowMs }),
    input: createEditorInput({
      ...{ history, completion, columns: () => terminal.size().columns, ruler: look().ruler },
      marksPastes: parts.marksPastes,
      isRunning: () => isBusy(screen),
      isWaiting: () => screen.status.queued.length + screen.status.waiting.length > 0,
      isElsewhere: (key) => isElsewhere(screen, key),
      changed: () => changed(screen),
      act: (effect) => act(screen, effect),
    }),
    drafts: createDrafts({
      home,
      written: () => unsent(screen.input.state()),
      isMade: () => screen.isMade(),
      failed: (reason) => hint(screen, `what you write cannot be kept: ${reason}`),
    }),
    actions: createWaitingItems<FrontAction>(),
    permission: createPermission({
      isWaiting: () => asksByKey(screen.status),
      answers: () => screen.status.choice?.lines ?? null,
      text: () => screen.input.state().buffer.text,
      say: (line) => putLine(screen, line, 'now'),
      sayInstead(line) {
        screen.input.replace([]);
        putLine(screen, line, 'now');
      },
      changed: () => draw(screen),
    }),
    alternate: createAlternate({
      ...{ terminal, look: parts.look, status: () => screen.status },
      say: (line) => putLine(screen, line, 'now'),
      type: (keys) => screen.input.take(keys),
      replace: (text) => screen.input.replace([text]),
      hint: (text) => hint(screen, text),
      left: () => draw(screen),
    }),
    status: {
      ...{ tree: '', name: '', position: '', isCarriedOn: false, model: null, turn: null, queued: [], waiting: [] },
      ...{ isSlow: false, hub: null, retryAtMs: null, network: false, unsandboxed: false, jobs: 0 },
      ...{ unsent: null, atHub: null, board: [] },
      ...{ activity: 'Execute', thinking: null, contextShare: null, asks: null, choice: null, ended: null },
      ...{ tokens: NO_TOKENS, totalTokens: NO_TOKENS, cost: null },
    },
    isMade: () => true,
    ...{ hint: null, interruptedMs: 0, turnSinceMs: 0, isOutside: false },
    ...{ leftAtLine: '', timer: undefined, statusRefresh: null },
  };
  return screen;
}

function isElsewhere({ alternate, permission, status }: ScreenState, key: Key): boolean {
  if (!alternate.take(key)) return permission.take(key);
  // Keys typed there are no answer to a question here.
  if (asksByKey(status)) permission.wait();
  return true;
}

async function show(screen: ScreenState, event: DisplayEvent): Promise<void> {
  const { terminal } = screen.parts;
  if (needsDrawing(event)) await screen.parts.drawing;
  for (const text of screen.output.take(event)) terminal.append(text);
  draw(screen);
  await terminal.ready();
}

/** Whether drawing the event needs the lazily loaded renderers. */
function needsDrawing(event: DisplayEvent): boolean {
  if (event.kind === 'block_grew') return event.block.kind === 'answer';
  return event.kind === 'block_ended' && event.block.kind === 'call';
}

function changed(screen: ScreenState): void {
  screen.hint = null;
  if (screen.status.tree !== '') screen.drafts.changed(screen.status.tree);
  draw(screen);
}

/** Restores the draft of the conversation. */
function openTree(screen: ScreenState, before: string): void {
  const { drafts, input, status } = screen;
  // The person may have typed while the conversation opened.
  const isAhead = screen.leftAtLine === '' && input.state().buffer.text !== '';
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

/** The draft of a new conversation moves to the next new one. */
function adoptDraft(screen: ScreenState): void {
  if (screen.input.state().buffer.text !== '') return;
  const draft = screen.drafts.adopt(screen.status.tree);
  if (draft === null) return;
  screen.input.replace(draft);
  hint(screen, 'This was being written when a chat ended.');
}

async function* takeActions({ actions }: ScreenState): AsyncGenerator<FrontAction> {
  for (;;) {
    await actions.filled();
    const action = actions.take();
    if (action !== undefined) yield action;
  }
}
