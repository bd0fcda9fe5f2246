import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { reasonOf } from '../../output/failure.js';
import type { Look } from '../../render/look/look.js';
import { drawNavigator, listHeight, previewHeight } from '../../render/screens/navigator_page.js';
import { getReady, isAnswerable } from '../editor/keys/confirmation.js';
import type { Key } from '../editor/keys/key.js';
import { createQuiet } from '../editor/keys/quiet.js';
import { type Taken, takenFor } from '../editor/keys/typed_run.js';
import type { Terminal } from '../terminal/terminal.js';
import { createCoalescedRead } from './coalesced_reads.js';
import type { FileCounts } from './file_counts.js';
import { readFirstRows } from './first_rows.js';
import { type NavigatorEnd, type NavigatorParts, performNavigatorAction } from './navigator_actions.js';
import { pressKey } from './navigator_keys.js';
import { centered, type Navigation, scrolled, withStableScroll, withWholeTree } from './navigator_state.js';
import { viewOf, visibleSeqs } from './navigator_view.js';
import { createContents } from './node_texts.js';
import { createShapeReader } from './shape_reader.js';
import { createWaitingKeys } from './waiting_keys.js';

export interface Navigator {
  take(key: Key): Taken;
  leave(): void;
  /** Nodes were added, marks changed, or the position moved. */
  treeChanged(): void;
  /** Null when the person leaves without going anywhere. */
  end: Promise<NavigatorEnd | null>;
}

export interface NavigatorOptions {
  client: Client;
  tree: { id: TreeId; title: string };
  position(): NodeId;
  /** Null where no files are counted. */
  counts: FileCounts | null;
  terminal: Pick<Terminal, 'size' | 'enterScreen' | 'redrawScreen' | 'leaveScreen'>;
  look(columns: number): Look;
  /** Types keys into the editor, which is seen again. */
  type(keys: readonly Key[]): void;
}

const READING = 'The tree is being read; what you press comes after that. Ctrl-C leaves.';

/** Opens the navigator on the alternate screen. */
export async function openNavigator(parts: NavigatorOptions): Promise<Navigator> {
  const { client, tree, terminal, counts } = parts;
  const contents = createContents(client, tree.id, () => terminal.redrawScreen());
  const { ended, leave, signal } = createEnd(terminal);
  const reader = createShapeReader({ client, tree: tree.id, signal, onPage: () => terminal.redrawScreen() });
  const waiting = createWaitingKeys();
  const around = { position: parts.position(), screenRows: terminal.size().rows };
  const first = await readFirstRows({ client, tree: tree.id, reader, ...around });
  let state = centered(first, roomOf(terminal, first).height);
  const height = (): number => roomOf(terminal, state).height;
  // Before the whole tree is read, which may take a while: the first visible rows have their text.
  await contents.fetch(visibleSeqs(state, height()));
  const actionParts: NavigatorParts = {
    ...{ client, tree: tree.id, contents, leave, quiet: createQuiet() },
    state: () => state,
    show(next) {
      state = next;
      terminal.redrawScreen();
    },
  };
  const showError = (error: unknown): void => {
    if (!signal.aborted) actionParts.show({ ...state, message: reasonOf(error) });
  };

  const press = (key: Key): Taken => pressOn(key, actionParts, { height: height(), failed: showError });

  function takeOne(key: Key): Taken {
    if (!waiting.holdIfNeeded(state, key, height())) return press(key);
    actionParts.show({ ...state, message: READING });
    // What waits is given back by itself.
    return 'written';
  }

  const reread = createCoalescedRead(
    async () => {
      await reader.readOn();
      state = withWholeTree(state, reader.shape);
      if (!replay(waiting.takeAll(), press, { ...parts, signal })) leave(null);
      actionParts.show(state);
      const [marks, seq] = await Promise.all([contents.marks(), contents.seqOf(parts.position())]);
      actionParts.show(withStableScroll(state, { ...state, marks, position: state.shape.indexOf(seq) }));
    },
    (error) => {
      waiting.takeAll();
      showError(error);
    },
  );

  terminal.enterScreen(({ columns, rows }) => {
    state = scrolled(state, height());
    const seen = { contents, counts, title: tree.title, nodesRead: reader.shape.count() };
    return drawNavigator(viewOf(state, { ...seen, ...roomOf(terminal, state) }), rows, parts.look(columns - 1));
  });
  reread();

  return {
    end: ended,
    take(key) {
      const keys = state.partial === null ? [key] : lettersOf(key);
      const taken = keys.map((one): Taken => (signal.aborted ? 'done' : takeOne(one))).at(-1) ?? 'done';
      // Reads again where that has failed.
      if (waiting.hasAny()) reread();
      return taken;
    },
    leave: () => leave(null),
    treeChanged: reread,
  };
}

interface PressParts {
  height: number;
  failed(error: unknown): void;
}

function pressOn(key: Key, parts: NavigatorParts, { height, failed }: PressParts): Taken {
  const { typing, asking } = parts.state();
  const { state, action } = pressKey(parts.state(), key, height);
  parts.show(state);
  confirmLater(parts);
  if (action !== null) performNavigatorAction(action, parts).catch(failed);
  return takenFor(action, typing !== null || isAnswerable(asking));
}

/** A question may be answered when no key comes for a moment. */
function confirmLater({ quiet, state, show }: NavigatorParts): void {
  quiet.stop();
  const { asking } = state();
  getReady(quiet, asking, () => show({ ...state(), asking: asking === null ? null : { ...asking, isReady: true } }));
}

/** Presses the keys that waited; false when they are a sentence, which has been typed where messages are written. */
function replay(
  keys: readonly Key[],
  press: (key: Key) => Taken,
  { type, signal }: Pick<NavigatorOptions, 'type'> & { signal: AbortSignal },
): boolean {
  let sentence = 0;
  for (const [at, key] of keys.entries()) {
    if (signal.aborted) return true;
    const taken = press(key);
    if (taken === 'unknown' && key.kind !== 'key') {
      type(keys.slice(sentence));
      return false;
    }
    if (taken !== 'done' || key.kind === 'key') sentence = at + 1;
  }
  return true;
}

/** The rows of the list, and whether there is room for a preview. */
function roomOf({ size }: NavigatorOptions['terminal'], { preview }: Navigation) {
  const { rows } = size();
  const hasPreview = preview && previewHeight(rows) > 0;
  return { hasPreview, height: listHeight({ rows, preview: hasPreview }) };
}

/** Letters that came as one text, each as a key of its own: one of them may have to wait. */
function lettersOf(key: Key): Key[] {
  return key.kind === 'text' ? [...key.text].map((text) => ({ ...key, text })) : [key];
}

/** Ends the navigator: what is still being read is aborted. */
function createEnd(terminal: NavigatorOptions['terminal']) {
  const reading = new AbortController();
  let end: (result: NavigatorEnd | null) => void = () => undefined;
  const ended = new Promise<NavigatorEnd | null>((resolve) => {
    end = resolve;
  });
  const leave = (result: NavigatorEnd | null): void => {
    reading.abort();
    terminal.leaveScreen();
    end(result);
  };
  return { ended, leave, signal: reading.signal };
}
