import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { Look } from '../look/look.js';
import { formatAge } from '../text/age.js';
import { clean, cleanLine } from '../text/clean.js';
import { cut } from '../text/cut.js';
import { shortId } from '../text/ids_and_counts.js';

export type Hit = ResultOf<'loom.search'>['hits'][number];

const SPEAKERS = { root: '(root)', user: 'User', assistant: 'Assistant', summary: 'Summary', tool: 'tool' } as const;

/** Two lines for what a search found: where it is, and the words around it. */
export function renderHit(hit: Hit, look: Look): string {
  const tree = hit.tree_name === null ? shortId(hit.tree) : cleanLine(hit.tree_name);
  const speaker = hit.role === 'tool' ? `[${cleanLine(hit.tool ?? 'tool')}]` : SPEAKERS[hit.role];
  const heading = `${shortId(hit.node)}  ${speaker}  ${formatAge(hit.created_at_ms, look.nowMs)}  in ${tree}`;
  return `${look.style.quiet(cut(heading, look.width, look))}\n  ${highlighted(hit, look)}\n`;
}

/** The words of a node that were found first; none where only its tool or its folder has them. */
export function foundWords({ snippet, matches: [first] }: Hit): string {
  return first === undefined ? '' : snippet.slice(...first);
}

/** One line for what a search found in a tree that is known: who spoke, and the words around it. */
export function hitLine(hit: Hit, isChosen: boolean, look: Look): string {
  const speaker = hit.role === 'tool' ? `[${cleanLine(hit.tool ?? 'tool')}]` : SPEAKERS[hit.role];
  const head = `${isChosen ? '> ' : '  '}${shortId(hit.node)} ${speaker}: `;
  if (isChosen) return look.style.match(cut(head + oneLine(hit.snippet), look.width, look));
  return look.style.quiet(head) + highlighted(hit, look);
}

// The snippet is about a line long already; cutting it could cut the match away.
function highlighted({ snippet, matches }: Hit, look: Look): string {
  let text = '';
  let done = 0;
  for (const [start, end] of matches) {
    if (start < done) continue;
    text += oneLine(snippet.slice(done, start)) + look.style.match(oneLine(snippet.slice(start, end)));
    done = end;
  }
  return text + oneLine(snippet.slice(done));
}

function oneLine(text: string): string {
  return clean(text).replace(/\s/g, ' ');
}
