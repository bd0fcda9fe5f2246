import { diffWordsWithSpace } from 'diff';
import type { ComponentChildren } from 'preact';
import type { ChangedLine } from './changed_lines.js';
import { inked, languageOf } from './ink.js';
import { memo } from './memo.js';

const ROWS_MAX = 2_000;
const WORDS_LENGTH_MAX = 1_000;

/** A change of a file. Words are told apart where one line stands for one line. */
export const Difference = memo(({ lines, path }: { lines: readonly ChangedLine[]; path: string }) => (
  <div class="diff scroll" tabIndex={0} role="group" aria-label={`change of ${path}`}>
    <table>
      <tbody>
        {lines.slice(0, ROWS_MAX).map((line, index) => (
          <tr key={index} class={line.kind}>
            <td class="number">{line.before ?? ''}</td>
            <td class="number">{line.after ?? ''}</td>
            <td class="sign">{SIGNS[line.kind]}</td>
            <td class="text">{textOf(lines, index, path)}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {lines.length > ROWS_MAX && <p class="none">{lines.length - ROWS_MAX} more lines</p>}
  </div>
));

const SIGNS = { added: <ins>+</ins>, removed: <del>−</del>, same: '', gap: '' } as const;

function textOf(lines: readonly ChangedLine[], index: number, path: string): ComponentChildren {
  const line = lines[index];
  if (line === undefined || line.kind === 'gap') return '⋯';
  const other = partnerOf(lines, index);
  if (other === null) return inked(line.text, languageOf(path));
  const [before, after] = line.kind === 'removed' ? [line.text, other] : [other, line.text];
  return diffWordsWithSpace(before, after)
    .filter((part) => (line.kind === 'removed' ? !part.added : !part.removed))
    .map((part) => (part.added || part.removed ? <mark>{part.value}</mark> : part.value));
}

/** The one line that a line stands for; null where several changed together. */
function partnerOf(lines: readonly ChangedLine[], index: number): string | null {
  const kindAt = (at: number): string | undefined => lines[at]?.kind;
  const at = kindAt(index) === 'removed' ? index : index - 1;
  const isPair = kindAt(at) === 'removed' && kindAt(at + 1) === 'added';
  if (!isPair || kindAt(at - 1) === 'removed' || kindAt(at + 2) === 'added') return null;
  const [own, other] = [lines[index], lines[at === index ? at + 1 : at]];
  if (own === undefined || other === undefined) return null;
  return own.text.length + other.text.length > WORDS_LENGTH_MAX ? null : other.text;
}
