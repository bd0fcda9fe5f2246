import type { TreeId } from '../../../../hub/protocol/node.js';
import type { HubSocket } from './hub_socket.js';
import type { NodeIds } from './node_ids.js';
import type { Writing } from './source.js';

/** What a person does on the page; the process does it, as a command of theirs would. */
export function pageActs({ hub, tree, ids }: { hub: HubSocket; tree: TreeId; ids: NodeIds }): Writing {
  const say = async (at: number, text: string): Promise<number> =>
    (await hub.ask<{ seq: number }>('page.say', { tree, node: await ids.idOf(at), text })).seq;
  return {
    say,
    // A message below a node that has children begins a branch there.
    fork: say,
    steer: (turn, text) => hub.ask('page.steer', { turn, text }),
    stop: (turn) => hub.ask('page.stop', { turn }),
    answer: (turn, { question, text }) => hub.ask('page.answer', { turn, question, text }),
    mark: async (at, name) => hub.ask('page.mark', { tree, node: await ids.idOf(at), name }),
    archive: async (at) => hub.ask('page.archive', { tree, node: await ids.idOf(at) }),
  };
}
