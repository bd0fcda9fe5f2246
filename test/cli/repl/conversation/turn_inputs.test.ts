import { expect, test } from 'vitest';
import type { ConversationParts } from '../../../../cli/repl/conversation/conversation_parts.js';
import { withdraw } from '../../../../cli/repl/conversation/turn_inputs.js';
import type { NodeId } from '../../../../hub/protocol/node.js';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { breaking } from '../../../support/model/script.js';
import { withAgent } from '../../../support/turns.js';

test('withdrawn inputs come back into the editor, also when the turn ends during the call', async () => {
  await withAgent(async ({ say: ask, begin, client, server }) => {
    server.script(breaking('hang', words('Well')));
    const turn = begin(await ask('hello'));
    await turn.event('text_added');
    const said = new Map<NodeId, { text: string }>();
    for (const text of ['hurry up', 'and be brief']) {
      const { id } = await client.call('agent.steer', { turn: turn.id, blocks: [{ type: 'text', text }] });
      said.set(id, { text });
    }
    const back: string[] = [];
    const front = { giveBack: async (text: string) => void back.push(text) };
    const parts = { client, front, ours: new Set(said.keys()) } as unknown as ConversationParts; // no more of it is used
    const withdrawn = withdraw(parts, turn.id, said);
    // What waits for a turn is forgotten with it.
    said.clear();
    await withdrawn;
    expect(back).toEqual(['hurry up\nand be brief']);
    expect([...parts.ours]).toEqual([]);
    await client.call('agent.stop', { turn: turn.id });
  });
});
