import type { Node } from '../../hub/protocol/node.js';
import { formatAge } from './age.js';
import { clean } from './clean.js';
import { cut } from './cut.js';
import { excerptOf } from './excerpt.js';
import { inkOf } from './label.js';
import type { Look } from './look.js';
import { askedOf, nodeText, speakerOf } from './node_text.js';
import { count, formatBytes, formatNumber, shortId } from './words.js';

export interface PathEntry {
  node: Node;
  /** False for what stands before a summary: a model is not sent it. */
  sent: boolean;
  /** The stored output in place of what the node says; null when it was not asked for, or there is none. */
  output: string | null;
  full: boolean;
}

/** One node of a path: who spoke, then all that was said or an excerpt. */
export function renderPathEntry(entry: PathEntry, look: Look): string {
  const { node } = entry;
  const text = entry.output === null ? nodeText(node) : clean(entry.output);
  const body = entry.full ? text : excerpted(text, entry, look);
  const paragraph = body.trimEnd();
  return `${headLine(entry, look)}\n${paragraph === '' ? '' : `${paragraph}\n`}\n`;
}

function headLine({ node, sent }: PathEntry, look: Look): string {
  const ended = node.kind === 'external' && node.external.exit_code !== null ? `  exit ${node.external.exit_code}` : '';
  const remarks = `  ${formatAge(node.created_at_ms, look.nowMs)}${ended}${sent ? '' : '  (not sent: before a summary)'}`;
  const said = `${speakerOf(node)} ${askedOf(node)}`.trimEnd();
  const room = Math.max(said.indexOf(' ') + 1, look.width - shortId(node.id).length - 1 - remarks.length, 12);
  return `${look.style.strong(shortId(node.id))} ${inkOf(node.role, look)(cut(said, room, look))}${look.style.quiet(remarks)}`;
}

function excerpted(text: string, { node, output }: PathEntry, look: Look): string {
  const { head, leftOut, tail } = excerptOf(text);
  const size = node.kind === 'external' ? (node.external.output?.total_bytes ?? 0) : 0;
  const stored = output === null && size > 0 ? ` of the stored output of ${formatBytes(size)}` : '';
  if (leftOut === null) return head;
  const what = leftOut.lines > 1 ? count(leftOut.lines, 'line') : `${formatNumber(leftOut.characters)} characters`;
  return `${head}\n${look.style.quiet(`${look.glyphs.ellipsis} ${what} left out${stored}; --full shows all`)}\n${tail}`;
}
