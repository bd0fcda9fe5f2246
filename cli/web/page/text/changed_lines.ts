import { structuredPatch } from 'diff';

/** A line of a difference, with its numbers before and after; `gap` for lines that are left out. */
export interface ChangedLine {
  kind: 'added' | 'removed' | 'same' | 'gap';
  text: string;
  before: number | null;
  after: number | null;
}

const CONTEXT = 2;
// Comparing takes the product of length and difference: texts that differ more stand one below the other.
const EDIT_LENGTH_MAX = 1_000;
const LENGTH_MAX = 400_000;
const SIGNS = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

/** What an edit took away and what it put there, from this line of the file on; without numbers where that is not known. */
export function changedLines(before: string, after: string, first: number | null): ChangedLine[] {
  const options = { context: CONTEXT, maxEditLength: EDIT_LENGTH_MAX };
  const patch =
    before.length + after.length > LENGTH_MAX
      ? undefined
      : structuredPatch('', '', withLineEnd(before), withLineEnd(after), '', '', options);
  if (patch === undefined) return [...linesOf(before, 'removed'), ...linesOf(after, 'added')];
  const above = (first ?? 1) - 1;
  const lines = patch.hunks.flatMap((hunk, index) => [
    ...(index === 0 ? [] : [GAP]),
    ...numbered(hunk.lines, { before: above + hunk.oldStart, after: above + hunk.newStart }),
  ]);
  return first === null ? lines.map((line) => ({ ...line, before: null, after: null })) : lines;
}

/** The lines of a patch as git writes it. */
export function patchLines(patch: string): ChangedLine[] {
  const lines: ChangedLine[] = [];
  for (const part of patch.split(/^(?=@@ )/m).slice(1)) {
    const [head = '', ...rest] = part.replace(/\n$/, '').split('\n');
    const [, before = '1', after = '1'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(head) ?? [];
    if (lines.length > 0) lines.push(GAP);
    lines.push(...numbered(rest, { before: Number(before), after: Number(after) }));
  }
  return lines;
}

export function changeSize(lines: readonly ChangedLine[]): { added: number; removed: number } {
  const of = (kind: ChangedLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return { added: of('added'), removed: of('removed') };
}

const GAP: ChangedLine = { kind: 'gap', text: '', before: null, after: null };

function numbered(lines: readonly string[], start: { before: number; after: number }): ChangedLine[] {
  let { before, after } = start;
  return lines.flatMap((line): ChangedLine[] => {
    const sign = line.charAt(0);
    if (sign !== '+' && sign !== '-' && sign !== ' ') return [];
    const kind = SIGNS[sign];
    const one = {
      ...{ kind, text: line.slice(1) },
      ...{ before: kind === 'added' ? null : before, after: kind === 'removed' ? null : after },
    };
    if (kind !== 'added') before += 1;
    if (kind !== 'removed') after += 1;
    return [one];
  });
}

function linesOf(text: string, kind: 'added' | 'removed'): ChangedLine[] {
  return withLineEnd(text)
    .slice(0, -1)
    .split('\n')
    .map((line) => ({ kind, text: line, before: null, after: null }));
}

/** A last line that only lacks its line end counts as the same line. */
function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
