import { randomUUID } from 'node:crypto';
import { type Navigator, openNavigator } from '../../../../cli/repl/navigator/navigator.js';
import type { ScreenDrawing } from '../../../../cli/repl/terminal/terminal.js';
import type { Client } from '../../../../hub/client/client.js';
import { type NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { withHub } from '../../../support/hub.js';
import { lookAt } from '../../../support/look.js';

/** A navigator on the tree of a real hub, drawn into rows that a test reads. */
export interface NavigatorTest {
  client: Client;
  tree: TreeId;
  add(parent: NodeId, role: 'user' | 'assistant', text: string): Promise<NodeId>;
  /** Another client when its answers are to come late. */
  open(position: NodeId, size?: { columns: number; rows: number }, through?: Client): Promise<Navigator>;
  /** Resolves with the rows once one of them has these words. */
  shows(words: string | RegExp): Promise<string[]>;
  rows(): string[];
}

export function withNavigator(use: (seen: NavigatorTest) => Promise<void>): Promise<void> {
  return withHub(async ({ client }) => {
    const tree = TreeId.parse(randomUUID());
    await client.call('loom.tree_create', { id: tree, name: 'notes' });
    let draw: ScreenDrawing | null = null;
    let size = { columns: 80, rows: 24 };
    const waiting = new Set<() => void>();
    const rows = (): string[] => draw?.(size).lines.map((line) => line.trimEnd()) ?? [];
    const redrawScreen = (): void => {
      for (const look of waiting) look();
    };
    await use({
      ...{ client, tree, rows },
      async add(parent, role, text) {
        const blocks = [{ type: 'text' as const, text }];
        return (await client.call('loom.node_create_text', { tree, parent, role, blocks })).node.id;
      },
      open(position, wanted = size, through = client) {
        size = wanted;
        return openNavigator({
          ...{ client: through, position: () => position, tree: { id: tree, title: 'notes' }, look: lookAt },
          type: () => undefined,
          counts: null,
          terminal: {
            size: () => size,
            redrawScreen,
            enterScreen(drawing) {
              draw = drawing;
              redrawScreen();
            },
            leaveScreen() {
              draw = null;
            },
          },
        });
      },
      shows: (words) =>
        new Promise((resolve) => {
          const look = (): void => {
            const seen = rows();
            if (!seen.some((row) => (typeof words === 'string' ? row.includes(words) : words.test(row)))) return;
            waiting.delete(look);
            resolve(seen);
          };
          waiting.add(look);
          look();
        }),
    });
  });
}
