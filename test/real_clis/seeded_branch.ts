import type { NodeId } from '../../hub/protocol/node.js';
import { type Append, answer, grow, step, user } from '../support/trees.js';
import type { AgentWorld } from './agent_world.js';

/** A branch that no agent has seen, with calls of tools, and its turns as a model should be sent them. */
export async function branchOfSixTurns({ client, newTree }: AgentWorld): Promise<{ tip: NodeId; turns: string[] }> {
  const root = await newTree();
  const hub = await client();
  const append: Append = (method, params) => hub.call(method, params as never); // the pictures make what fits
  const ids = await grow(append, { tree: root, parent: root }, [
    user(
      '<<first>>',
      step(
        'I look.',
        ['ls'],
        answer('second', user('<<third>>', answer('fourth', user('<<fifth>>', answer('sixth'))))),
      ),
    ),
  ]);
  return {
    tip: ids.sixth as NodeId, // an id as the hub has just told it
    turns: [
      'user: first',
      'assistant: I look.',
      'call: bash {"command":"ls"}',
      'result: output of ls',
      'assistant: second',
      'user: third',
      'assistant: fourth',
      'user: fifth',
      'assistant: sixth',
    ],
  };
}
