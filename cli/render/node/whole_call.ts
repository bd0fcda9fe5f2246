import { structuredPatch } from 'diff';
import { callEnd } from '../../../hub/base/call_end.js';
import { callText } from '../../../hub/base/call_title.js';
import type { Node } from '../../../hub/protocol/node.js';
import { clean } from '../text/clean.js';
import { nodeText } from './node_text.js';

/** What a call was given beyond the one line of its title, safe to print: `text` as it is, `diff` as lines with signs. */
export interface CallBody {
  kind: 'text' | 'diff';
  text: string;
}

// Comparing takes the product of length and difference: texts that differ more stand one below the other.
const EDIT_LENGTH_MAX = 1_000;

/** The contents of a written file, the difference of an edit, or a title of several lines; null where the title says it all. */
export function bodyOf(node: Node): CallBody | null {
  if (node.kind !== 'external') return null;
  const { tool, input } = node.external.call;
  const title = callText(input);
  if (title.trim().includes('\n')) return { kind: 'text', text: clean(title) };
  if (callEnd(node.external).failed || input === null || typeof input !== 'object') return null;
  if (tool === 'write' && 'content' in input) return { kind: 'text', text: clean(String(input.content)) };
  if (tool !== 'edit' || !('old_text' in input) || !('new_text' in input)) return null;
  return { kind: 'diff', text: diffOf(clean(String(input.old_text)), clean(String(input.new_text))) };
}

/** What a call brought, without the lines of a difference that its body has whole. */
export function resultOf(node: Node): string {
  const text = nodeText(node).trimEnd();
  const isEdit = bodyOf(node)?.kind === 'diff' && text.startsWith('[edited ');
  return isEdit ? text.replace(/\n[-+].*/g, '') : text;
}

function diffOf(before: string, after: string): string {
  const options = { context: Infinity, maxEditLength: EDIT_LENGTH_MAX };
  const patch = structuredPatch('', '', withLineEnd(before), withLineEnd(after), '', '', options);
  const lines = patch?.hunks.flatMap((hunk) => hunk.lines) ?? [...signed('-', before), ...signed('+', after)];
  return lines.join('\n');
}

function signed(sign: string, text: string): string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => sign + line);
}

/** A last line that only lacks its line end counts as the same line. */
function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
