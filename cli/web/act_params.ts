import { HubError } from '../../hub/base/error.js';
import type { NodeId, TreeId, TurnId } from '../../hub/protocol/node.js';
import { isNodeId, isTreeId, isTurnId } from '../position/ids.js';

/** What a page gives, unparsed. */
export type Params = Readonly<Record<string, unknown>>;

export function aTree({ tree }: Params): TreeId {
  if (isTreeId(tree)) return tree;
  throw wrong('tree');
}

export function aTurn({ turn }: Params): TurnId {
  if (isTurnId(turn)) return turn;
  throw wrong('turn');
}

export function aNode(params: Params, name = 'node'): NodeId {
  const node = params[name];
  if (isNodeId(node)) return node;
  throw wrong(name);
}

export function placeIn(params: Params): { tree: TreeId; node: NodeId } {
  return { tree: aTree(params), node: aNode(params) };
}

export function aText(params: Params, name: string): string {
  const text = params[name];
  if (typeof text === 'string') return text;
  throw wrong(name);
}

function wrong(name: string): HubError {
  return new HubError('invalid_params', `${name} is missing, or is none`);
}
