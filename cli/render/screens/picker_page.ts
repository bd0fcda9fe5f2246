import type { Look } from '../look/look.js';
import { formatAge } from '../text/age.js';
import { clean, cleanLine } from '../text/clean.js';
import { cut, pad } from '../text/cut.js';
import { count, formatNumber, shortId } from '../text/ids_and_counts.js';
import { wrapWords } from '../text/wrap_words.js';
import { type ListedTree, treeWords } from '../tree/tree_list.js';
import type { LiveBlock } from './live_block.js';
import { previewHeight } from './navigator_page.js';

export interface PickerView {
  /** What the query leaves, those of this project first. */
  listed: readonly ListedTree[];
  selected: number;
  /** How many there are without a query; null while they are still being read. */
  total: number | null;
  archived: boolean;
  query: string;
  /** The conversation that is open. */
  current: string | null;
  /** The end of the chosen conversation; null while it is fetched. */
  preview: readonly string[] | null;
  message: string | null;
}

const HINTS = ['Enter open', 'Esc leave', 'Tab archived', 'type to search'];
const ARCHIVED_HINTS = ['Enter open', 'Esc leave', 'Tab the others', 'type to search'];
/** With fewer columns a row has no more than its age behind the name. */
const FACTS_COLUMNS_MIN = 64;
const AGE_COLUMNS_MIN = 30;
const POINTER = '> ';

/** The rows of the list on a screen. */
export function pickerHeight(rows: number): number {
  return Math.max(1, rows - 3 - previewHeight(rows));
}

/** Draws the whole list of conversations, with what is searched for in its second row. */
export function drawPicker(view: PickerView, rows: number, look: Look): LiveBlock {
  const search = `Search: ${cleanLine(view.query)}`;
  const line = look.ruler.width(search) < look.width ? search : cut(search, look.width - 1, look);
  const height = pickerHeight(rows);
  const lines = [
    look.style.strong(cut(titleOf(view), look.width, look)),
    line,
    ...padTo(listOf(view, height, look), height),
    ...previewRows(view, rows, look),
    look.style.quiet(cut(view.message ?? hintsOf(view, look), look.width, look)),
  ];
  return { lines, cursor: { row: 1, column: look.ruler.width(line) } };
}

function titleOf({ listed, total, archived, query }: PickerView): string {
  const what = archived ? 'Archived conversations' : 'Conversations';
  if (total === null) return `${what}: reading, ${formatNumber(listed.length)} so far`;
  return `${what}: ${query.trim() === '' ? '' : `${formatNumber(listed.length)} of `}${formatNumber(total)}`;
}

function hintsOf({ archived }: PickerView, { width, ruler }: Look): string {
  const [first = '', ...others] = archived ? ARCHIVED_HINTS : HINTS;
  let line = first;
  for (const hint of others) {
    if (ruler.width(`${line}  ${hint}`) > width) break;
    line = `${line}  ${hint}`;
  }
  return line;
}

/** A row of the list: a folder, or the index of a conversation that works there. */
type ListRow = { folder: string } | { index: number };

function listOf(view: PickerView, height: number, look: Look): string[] {
  const { listed, selected, total, query } = view;
  if (listed.length === 0) {
    const nothing = query.trim() === '' ? 'There is none yet.' : `None has ${JSON.stringify(query.trim())} in it.`;
    return [look.style.quiet(cut(total === null ? look.glyphs.ellipsis : nothing, look.width, look))];
  }
  const rows: ListRow[] = [];
  let chosenRow = 0;
  for (const [index, { folder }] of listed.entries()) {
    if (folder !== null && folder !== listed[index - 1]?.folder) rows.push({ folder });
    if (index === selected) chosenRow = rows.length;
    rows.push({ index });
  }
  const top = Math.max(0, Math.min(chosenRow - Math.floor(height / 2), rows.length - height));
  return rows.slice(top, top + height).map((row) => {
    if ('folder' in row) return look.style.quiet(cut(`${row.folder}:`, look.width, look));
    const one = listed[row.index];
    return one === undefined ? '' : treeRow(one, { view, isSelected: row.index === selected, look });
  });
}

function treeRow(
  { tree }: ListedTree,
  { view, isSelected, look }: { view: PickerView; isSelected: boolean; look: Look },
): string {
  const { width, ruler, style } = look;
  const tail = tailOf(tree, look);
  const columns = width - ruler.width(tail);
  const start = `${isSelected ? POINTER : '  '}${tree.id === view.current ? '* ' : ''}`;
  const name = cut(treeWords(tree), Math.max(1, columns - ruler.width(start)), look);
  const text = pad(start + name, columns, ruler);
  return isSelected ? style.match(text + tail) : text + style.quiet(tail);
}

function tailOf(tree: ListedTree['tree'], { width, nowMs }: Look): string {
  const age = formatAge(tree.updated_at_ms, nowMs);
  if (width < AGE_COLUMNS_MIN) return '';
  if (width < FACTS_COLUMNS_MIN) return `  ${age}`;
  const facts = [count(tree.message_count, 'message').padStart(13), count(tree.branch_count, 'branch').padStart(12)];
  return `${facts.join('')}${age.padStart(14)}  ${shortId(tree.id)}`;
}

function previewRows({ preview }: PickerView, rows: number, look: Look): string[] {
  const height = previewHeight(rows);
  if (height === 0) return [];
  const texts = (preview ?? []).flatMap((line) =>
    wrapWords(clean(line).replaceAll('\t', '  '), look.width, look.ruler).map(({ text }) => text),
  );
  return [look.style.quiet('-'.repeat(Math.max(0, Math.min(40, look.width)))), ...padTo(texts, height - 1)];
}

function padTo(lines: readonly string[], height: number): string[] {
  return [...lines.slice(0, height), ...Array(Math.max(0, height - lines.length)).fill('')];
}
