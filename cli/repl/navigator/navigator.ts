import type { Client } from '../../../hub/client/client.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import type { Look } from '../../render/look/look.js';
import { drawNavigator, listHeight, previewHeight } from '../../render/screens/navigator_page.js';
import type { Key } from '../editor/keys/key_decoder.js';
import type { Terminal } from '../terminal/terminal.js';
import { createRereading } from './coalesced_reads.js';
import { beginAt } from './first_rows.js';
import { type NavigatorEnd, type NavigatorParts, performNavigatorAction } from './navigator_actions.js';
import { pressed } from './navigator_keys.js';
import { centered, type Navigation, onWhole, scrolled, steadied } from './navigator_state.js';
import { seqsSeen, viewOf } from './navigator_view.js';
import { createContents } from './node_lines.js';
import { createGrowing } from './read_shape.js';
import { createWaitingKeys } from './waiting_keys.js';

export interface Navigator {
  take(key: Key): void;
  /** Something was added to the tree, its marks changed, or the person went on with a turn. */
  treeChanged(): void;
  /** Null when it was left without going anywhere. */
  end: Promise<NavigatorEnd | null>;
}

export interface NavigatorOptions {
  client: Client;
  tree: { id: TreeId; title: string };
  position(): NodeId;
  terminal: Pick<Terminal, 'size' | 'enterScreen' | 'redrawScreen' | 'leaveScreen'>;
  look(columns: number): Look;
}

const READING = 'The tree is being read; what you press comes after that. Ctrl-C leaves.';

/** Opens the navigator on the alternate screen. */
export async function openNavigator(parts: NavigatorOptions): Promise<Navigator> {
  const { client, tree, terminal } = parts;
  const contents = createContents(client, tree.id, () => terminal.redrawScreen());
  const { ended, leave, signal } = leaving(terminal);
  const growing = createGrowing({ client, tree: tree.id, signal, told: () => terminal.redrawScreen() });
  const waiting = createWaitingKeys();
  const begun = await beginAt(parts, growing);
  let state = centered(begun, roomOf(terminal, begun).height);
  const height = (): number => roomOf(terminal, state).height;
  // Before the whole tree is read, which may take a while: what is seen first has its words.
  await contents.fetch(seqsSeen(state, height()));
  const desk: NavigatorParts = {
    ...{ client, tree: tree.id, contents, leave },
    state: () => state,
    show(next) {
      state = next;
      terminal.redrawScreen();
    },
  };
  const failed = (error: unknown): void => {
    if (!signal.aborted) desk.show({ ...state, word: error instanceof Error ? error.message : String(error) });
  };

  function press(key: Key): void {
    const { state: next, wish } = pressed(state, key, height());
    desk.show(next);
    if (wish !== null) performNavigatorAction(wish, desk).catch(failed);
  }

  const reread = createRereading(async () => {
    await growing.grow();
    state = onWhole(state, growing.grown);
    for (const key of waiting.taken()) if (!signal.aborted) press(key);
    desk.show(state);
    const [marks, seq] = await Promise.all([contents.marks(), contents.seqOf(parts.position())]);
    desk.show(steadied(state, { ...state, marks, position: state.grown.indexOf(seq) }));
  }, unread);

  function unread(error: unknown): void {
    waiting.taken();
    failed(error);
  }

  terminal.enterScreen(({ columns, rows }) => {
    state = scrolled(state, height());
    const shown = { contents, title: tree.title, ...roomOf(terminal, state), nodesRead: growing.grown.count() };
    return drawNavigator(viewOf(state, shown), rows, parts.look(columns - 1));
  });
  reread();

  return {
    end: ended,
    take(key) {
      for (const one of state.early === null ? [key] : lettersOf(key)) {
        if (signal.aborted) return;
        if (waiting.keeps(state, one, height())) desk.show({ ...state, word: READING });
        else press(one);
      }
      // Reads again where that has failed.
      if (waiting.isAny()) reread();
    },
    treeChanged: reread,
  };
}

/** The rows that the list has beside a preview, and whether there is room for that. */
function roomOf({ size }: NavigatorOptions['terminal'], { preview }: Navigation) {
  const { rows } = size();
  const hasPreview = preview && previewHeight(rows) > 0;
  return { hasPreview, height: listHeight({ rows, preview: hasPreview }) };
}

/** Letters that came as one text, each as a key of its own: one of them may have to wait. */
function lettersOf(key: Key): Key[] {
  return key.kind === 'text' ? [...key.text].map((text) => ({ ...key, text })) : [key];
}

/** How it ends: what is still being read then is given up. */
function leaving(terminal: NavigatorOptions['terminal']) {
  const gone = new AbortController();
  let end: (result: NavigatorEnd | null) => void = () => undefined;
  const ended = new Promise<NavigatorEnd | null>((resolve) => {
    end = resolve;
  });
  const leave = (result: NavigatorEnd | null): void => {
    gone.abort();
    terminal.leaveScreen();
    end(result);
  };
  return { ended, leave, signal: gone.signal };
}
