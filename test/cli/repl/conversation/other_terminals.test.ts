import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newDisplay } from '../../../../cli/display/reduce.js';
import type { ConversationParts } from '../../../../cli/repl/conversation/conversation_parts.js';
import { createOthers } from '../../../../cli/repl/conversation/other_terminals.js';
import { type Node, NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { withHub } from '../../../support/hub.js';
import { lookAt } from '../../../support/look.js';

test('a branch that was left is known by the node that was still displayed after that; any other is announced', () =>
  withHub(async ({ client }) => {
    const tree = TreeId.parse(randomUUID());
    await client.call('loom.tree_create', { id: tree });
    const add = async (parent: NodeId, text: string): Promise<Node> => {
      const message = { tree, parent, role: 'user' as const, blocks: [{ type: 'text' as const, text }] };
      return (await client.call('loom.node_create_text', message)).node;
    };
    const left = await add(NodeId.parse(tree), 'left here');
    const displayed = await add(left.id, 'still displayed');
    const next = await add(displayed.id, 'what the turn goes on with');
    const notes: string[] = [];
    const parts = {
      ...{ client, context: { look: async () => lookAt(80) } },
      front: { show: async (event: { text: string }) => void notes.push(event.text) },
      display: { state: () => newDisplay(displayed.id) },
    } as unknown as ConversationParts; // no more of it is used
    const others = createOthers(parts);
    others.know([left.id]);
    others.pass(displayed);
    await others.take(next);
    expect(notes).toEqual([]);
    await createOthers(parts).take(next);
    expect(notes).toEqual([expect.stringContaining(`another terminal went on from ${displayed.id.slice(0, 8)}`)]);
  }));
