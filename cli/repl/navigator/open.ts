import type { Client } from '../../../hub/client.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import type { Look } from '../../render/look.js';
import { drawNavigator, listHeight, previewHeight } from '../../render/navigator.js';
import type { Key } from '../editor/keys.js';
import type { Terminal } from '../terminal/terminal.js';
import { createContents } from './contents.js';
import { createGrown, type Grown } from './grown.js';
import { pressed } from './keys.js';
import { listed, openNavigation, scrolled } from './state.js';
import { viewOf } from './view.js';
import { type Desk, fulfil, type NavigatorEnd } from './wishes.js';

export interface Navigator {
  take(key: Key): void;
  /** Something was added to the tree, or its marks changed. */
  treeChanged(): void;
  /** Null when it was left without going anywhere. */
  end: Promise<NavigatorEnd | null>;
}

export interface NavigatorParts {
  client: Client;
  tree: { id: TreeId; title: string };
  position: NodeId;
  terminal: Pick<Terminal, 'size' | 'enterScreen' | 'redrawScreen' | 'leaveScreen'>;
  look(columns: number): Look;
}

/** Opens the navigator on the alternate screen. */
export async function openNavigator(parts: NavigatorParts): Promise<Navigator> {
  const { client, tree, terminal } = parts;
  const contents = createContents(client, tree.id, () => terminal.redrawScreen());
  const { grown, grow } = growing(client, tree.id);
  const [{ node: here }, marks] = await Promise.all([
    client.call('loom.node_get', { node: parts.position }),
    contents.marks(),
    grow(),
  ]);
  let state = openNavigation(grown, grown.indexOf(here.seq), marks);
  const { ended, end } = ending();
  const hasPreview = (): boolean => state.preview && previewHeight(terminal.size().rows) > 0;
  const height = (): number => listHeight({ rows: terminal.size().rows, preview: hasPreview() });
  const desk: Desk = {
    ...{ client, tree: tree.id, grown, contents },
    state: () => state,
    show(next) {
      state = next;
      terminal.redrawScreen();
    },
    leave(result) {
      terminal.leaveScreen();
      end(result);
    },
  };
  const failed = (error: unknown): void =>
    desk.show({ ...state, word: error instanceof Error ? error.message : String(error) });
  terminal.enterScreen(({ columns, rows }) => {
    state = scrolled(state, height());
    const shown = { contents, title: tree.title, hasPreview: hasPreview(), height: height() };
    return drawNavigator(viewOf(state, shown), rows, parts.look(columns - 1));
  });

  async function reread(): Promise<void> {
    await grow();
    const renewed = await contents.marks();
    desk.show(listed({ ...state, marks: renewed }));
  }

  return {
    end: ended,
    take(key) {
      const { state: next, wish } = pressed(state, key, height());
      desk.show(next);
      if (wish !== null) fulfil(wish, desk).catch(failed);
    },
    treeChanged: () => void reread().catch(failed),
  };
}

/** A tree whose shape is read page by page, and later what was added to it. */
function growing(client: Client, tree: TreeId): { grown: Grown; grow(): Promise<void> } {
  const grown = createGrown();
  let cursor: string | null = null;
  let reading: Promise<void> = Promise.resolve();

  async function readOn(): Promise<void> {
    for (;;) {
      const from: { cursor?: string } = cursor === null ? {} : { cursor };
      const page = await client.call('loom.tree_get_shape', { tree, ...from });
      grown.add(page);
      cursor = page.cursor ?? (grown.count() === 0 ? null : String(grown.lastSeq()));
      if (page.cursor === null) return;
    }
  }

  return {
    grown,
    // One after the other: two readings of the same page would add its nodes twice.
    grow() {
      reading = reading.catch(() => undefined).then(readOn);
      return reading;
    },
  };
}

function ending() {
  let end: (result: NavigatorEnd | null) => void = () => undefined;
  const ended = new Promise<NavigatorEnd | null>((resolve) => {
    end = resolve;
  });
  return { ended, end: (result: NavigatorEnd | null) => end(result) };
}
