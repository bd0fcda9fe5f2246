import type { z } from 'zod';
import {
  type External,
  type ExternalNode,
  type Node,
  Sha256,
  type Tree,
  TreeId,
  TreeName,
} from '../../hub/protocol/node.js';
import { NOW_MS } from './look.js';
import { nodeId } from './skeleton.js';
import { ran, text } from './trees.js';

const TREE = TreeId.parse('abcdef01-0000-4000-8000-000000000000');
const HASH = Sha256.parse('0'.repeat(64));

/** A whole node of text, as the hub returns it. */
export function textNode(number: number, role: 'root' | 'user' | 'assistant' | 'summary', content: string): Node {
  return { ...placeOf(number), kind: 'text', role, blocks: content === '' ? [] : text(content) };
}

/** A whole node of a command that was run. */
export function commandNode(number: number, commandLine: string, shown: string): z.infer<typeof ExternalNode> {
  return { ...placeOf(number), kind: 'external', role: 'tool', blocks: text(shown), external: ran(commandLine) };
}

/** A whole node of a tool's call; `exit_code` is null when left out. */
export function callNode(
  number: number,
  { tool, input, exit_code = null }: Pick<External['call'], 'tool' | 'input'> & { exit_code?: number | null },
  shown: string,
): Node {
  const { call, ...rest } = ran('');
  const external = { ...rest, call: { ...call, tool, input }, exit_code };
  return { ...placeOf(number), kind: 'external', role: 'tool', blocks: text(shown), external };
}

function placeOf(number: number) {
  return {
    ...{ id: nodeId(number), tree: TREE, parent: number === 0 ? null : nodeId(number - 1) },
    ...{ created_at_ms: NOW_MS - 120_000, step: null, settings: null, hash: HASH, seq: number, depth: number },
  };
}

interface TreeFacts {
  title: string;
  messages: number;
  branches: number;
  agoMs: number;
}

/** A tree as the hub lists it. */
export function treeNamed(name: string | null, facts: Partial<TreeFacts> = {}): Tree {
  const { title = '', messages = 0, branches = 1, agoMs = 0 } = facts;
  return {
    ...{
      id: TREE,
      name: name === null ? null : TreeName.parse(name),
      title,
      project: null,
      owner: null,
      forked_from: null,
    },
    ...{ created_at_ms: NOW_MS, updated_at_ms: NOW_MS - agoMs, archived_at_ms: null },
    ...{ node_count: messages + 1, message_count: messages, branch_count: branches, last_seq: 1 },
  };
}
