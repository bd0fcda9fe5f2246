import { callText } from '../../../hub/base/call_title.js';
import { imageLabel } from '../../../hub/base/node_blocks.js';
import type { Block, Node, SkeletonNode } from '../../../hub/protocol/node.js';
import { clean, cleanLine } from '../text/clean.js';

/** What a line about a node is made of. */
export type Titled = Pick<SkeletonNode, 'role' | 'tool' | 'preview' | 'exit_code' | 'by'> &
  Partial<Pick<SkeletonNode, 'step'>>;

const PREVIEW_LENGTH_MAX = 200;

/** What a whole node says in words, safe to print. Thinking is left out, and calls whose results follow. */
export function nodeText(node: Node): string {
  const texts = node.blocks.map((block) => blockText(block, node.step === null));
  return clean(texts.filter((text) => text !== '').join('\n'));
}

/** An answer that only calls tools: its calls follow it in the same step, and they say all there is to say. */
export function isSilent(node: Node): boolean {
  return node.role === 'assistant' && node.step !== null && node.step.size > 1 && nodeText(node) === '';
}

/** Who speaks: `User`, `Assistant`, `Summary`, each with whose it is if another hub has made it; or the tool in brackets. */
export function speakerOf(node: Node): string {
  return node.role === 'tool' ? `[${toolOf({ ...node, tool: node.external.call.tool })}]` : roleOf(node);
}

/** `bash`, or `bash (anna · laptop)` for what a person of another hub has run: what a model has called is its answer's. */
export function toolOf({ tool, by, step }: Pick<Titled, 'tool' | 'by' | 'step'>): string {
  const name = cleanLine(tool ?? 'tool');
  return by === undefined || step !== null ? name : `${name} (${cleanLine(by)})`;
}

/** `User`, or `User (anna · laptop)` for what another hub has made. */
export function roleOf({ role, by }: Pick<Titled, 'by'> & { role: Exclude<Titled['role'], 'tool'> }): string {
  const name = { root: '(root)', user: 'User', assistant: 'Assistant', summary: 'Summary' }[role];
  return by === undefined || role === 'root' ? name : `${name} (${cleanLine(by)})`;
}

/** What a tool was asked, on one line; empty for a node of text. */
export function callTextOf(node: Node): string {
  return node.kind === 'external' ? cleanLine(callText(node.external.call.input)) : '';
}

/** The exit code of a command that failed, where its own text does not tell it. */
export function untoldExit(node: Node, text: string): number | null {
  const code = node.kind === 'external' ? node.external.exit_code : null;
  if (code === null || code === 0) return null;
  return text.split('\n').includes(`(exit code ${code})`) ? null : code;
}

/** What a line about a whole node is made of; its text up to a length. */
export function titledOf(node: Node, lengthMax = PREVIEW_LENGTH_MAX): Titled {
  const external = node.kind === 'external' ? node.external : null;
  const preview = external === null ? cleanLine(nodeText(node).slice(0, lengthMax)) : callTextOf(node);
  const by = node.by === undefined ? {} : { by: node.by };
  return {
    role: node.role,
    tool: external?.call.tool ?? null,
    preview,
    exit_code: external?.exit_code ?? null,
    step: node.step,
    ...by,
  };
}

function blockText(block: Block, alone: boolean): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
    case 'kept':
      return '';
    case 'call':
      return alone ? `[${block.tool}: ${callText(block.input)}] (not run)` : '';
    case 'image':
      return imageLabel(block);
  }
}
