import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { Node } from '../../../hub/protocol/node.js';
import type { Look } from '../look/look.js';
import { formatAge } from '../text/age.js';
import { clean, cleanLine } from '../text/clean.js';
import { cut } from '../text/cut.js';
import { excerptOf } from '../text/cut_middle.js';
import { count, formatBytes, formatNumber, shortId } from '../text/ids_and_counts.js';
import { inkOf } from './node_label.js';
import { callTextOf, nodeText, speakerOf } from './node_text.js';

export interface PathEntry {
  node: Node;
  /** False for nodes before a summary: a model is not sent them. */
  sent: boolean;
  /** The resolved handle, shown instead of the stored excerpt; null for a node of text. */
  resolved: ResultOf<'context.resolve'> | null;
  full: boolean;
}

/** One node of a path: who spoke, then all that was said or an excerpt. */
export function renderPathEntry(entry: PathEntry, look: Look): string {
  const { node, resolved } = entry;
  const text = resolved === null ? nodeText(node) : clean(resolved.text);
  const body = entry.full ? text : visibleText(text, entry, look);
  const paragraphs = [headLine(entry, look), ...remarks(entry, look), body.trimEnd()].filter((one) => one !== '');
  return `${paragraphs.join('\n')}\n\n`;
}

function headLine({ node, sent }: PathEntry, look: Look): string {
  const remark = `  ${formatAge(node.created_at_ms, look.nowMs)}${endOf(node)}${sent ? '' : '  (not sent: before a summary)'}`;
  const speaker = `${speakerOf(node)} ${callTextOf(node)}`.trimEnd();
  const room = Math.max(speaker.indexOf(' ') + 1, look.width - shortId(node.id).length - 1 - remark.length, 12);
  return `${look.style.strong(shortId(node.id))} ${inkOf(node.role, look)(cut(speaker, room, look))}${look.style.quiet(remark)}`;
}

/** How a command ended: its exit code, or the signal that ended it. */
function endOf(node: Node): string {
  if (node.kind === 'text') return '';
  const { exit_code: code, signal } = node.external;
  if (signal !== null) return `  ${cleanLine(signal)}`;
  return code === null ? '' : `  exit ${code}`;
}

/** Warnings before the content: that there is none, or that it has changed. */
function remarks({ resolved }: PathEntry, look: Look): string[] {
  if (resolved === null) return [];
  const { placeholder, changed } = resolved;
  return [
    ...(placeholder === null ? [] : [look.style.warning(`[${cleanLine(placeholder)}]`)]),
    ...(changed === null || changed === placeholder
      ? []
      : [look.style.warning(`changed since: ${clean(changed).trimEnd()}`)]),
  ];
}

function visibleText(text: string, { resolved }: PathEntry, look: Look): string {
  const { head, leftOut, tail } = excerptOf(text);
  if (leftOut === null) return head;
  const lines = leftOut.lines > 1 ? count(leftOut.lines, 'line') : `${formatNumber(leftOut.characters)} characters`;
  // The lines of what was not read cannot be counted.
  const isCut = resolved !== null && resolved.left_out_bytes > 0;
  const what = isCut ? formatBytes(resolved.left_out_bytes + leftOut.characters) : lines;
  const whole = resolved === null ? '' : ` of ${formatBytes(resolved.total_bytes)}`;
  return `${head}\n${look.style.quiet(`${look.glyphs.ellipsis} ${what} left out${whole}; --full shows all`)}\n${tail}`;
}
