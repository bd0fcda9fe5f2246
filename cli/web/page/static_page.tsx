import { renderToString } from 'preact-render-to-string';
import type { Node } from '../../../hub/protocol/node.js';
import { NONE, numberAt } from './core/node_table.js';
import { sidesOf } from './core/outline_rows.js';
import { indexOf } from './core/tree_columns.js';
import { leafBelow, pathTo } from './core/walk.js';
import { Message } from './reading/message.js';
import { isSilent } from './reading/said_text.js';
import type { FileData, FileNode } from './source/file_data.js';
import { fileSource } from './source/from_file.js';
import { takeMarks } from './state/begin.js';
import { columns, costs, here, runs, version } from './state/tree_state.js';
import { paper } from './state/view_state.js';
import { count } from './state/word_forms.js';

/** Above so many nodes only the branch to where one stands is written out. */
const WHOLE_MAX = 2_000;

/**
 * The conversation as plain HTML by the components of the page, for readers without script. Runs in Node, once in a
 * process: the state of the page is that of one tree.
 */
export async function staticPage(data: FileData): Promise<string> {
  const source = fileSource(data);
  await source.load(columns);
  paper.value = true;
  here.value = data.here === null ? NONE : indexOf(columns, data.here);
  version.value += 1;
  takeMarks(data.marks);
  costs.value = await source.costs();
  if (columns.count === 0) return '';
  const bySeq = new Map(data.nodes.map((one) => [one.node.seq, one]));
  const of = (index: number): FileNode | undefined => bySeq.get(columns.seq[index] ?? 0);
  const written = (index: number): string => writtenNode(of(index)?.node, index === here.value);
  if (columns.count <= WHOLE_MAX) return [...wholeTree(written, (index) => of(index)?.preview ?? '')].join('');
  const path = pathTo(columns, here.value === NONE ? leafBelow(runs.value, 0) : here.value);
  const words = `Of ${count(columns.count, 'node')} this is the end of the current branch; all of it is shown with script.`;
  return [`<p class="hint">${words}</p>\n`, ...path.slice(-WHOLE_MAX).map(written)].join('');
}

function writtenNode(node: Node | undefined, isHere: boolean): string {
  const isShown = node !== undefined && !isSilent(node);
  const message = isShown ? renderToString(<Message node={node} cost={costs.value.get(node.seq)} />) : '';
  return isHere ? `${message}\n<p class="here-line"><span>you are here</span></p>\n` : `${message}\n`;
}

/** Each branch beside the trunk folded, below the fork that it left; a stack instead of recursion. */
function* wholeTree(written: (node: number) => string, previewOf: (node: number) => string): Generator<string> {
  const { head, tail, trunk } = runs.value;
  const stack: (number | string)[] = [0];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (typeof top === 'string') {
      yield top;
      continue;
    }
    for (const node of nodesOfRun(numberAt(head, top), numberAt(tail, top))) yield written(node);
    const straight = numberAt(trunk, top);
    if (straight !== NONE) stack.push(straight);
    for (const run of sidesOf(runs.value, top).reverse()) {
      stack.push('</details>\n', run, opening(run, previewOf(numberAt(head, run))));
    }
  }
}

function* nodesOfRun(head: number, tail: number): Generator<number> {
  for (let node = head; node !== tail; node = numberAt(columns.firstChild, node)) yield node;
  yield tail;
}

/** The beginning of a folded branch: its end is written after its nodes. */
function opening(run: number, preview: string): string {
  const summary = renderToString(
    <summary>
      {preview || '…'} <small>({count(numberAt(runs.value.weight, run), 'node')})</small>
    </summary>,
  );
  return `<details class="branch">${summary}\n`;
}
