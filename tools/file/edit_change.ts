import { isUtf8 } from 'node:buffer';
import { HubError } from '../../hub/base/error.js';
import { rpcMethod } from '../../hub/base/hint.js';
import { type ContentChange, type NewContent, recordedText } from './change_file.js';
import { CHANGED_BYTES_MAX, type OldContent } from './content/old_content.js';
import { type Substitution, type SubstitutionResult, substitute } from './content/substitution.js';
import { shownPath } from './path/file_errors.js';
import { sizeOf } from './read_content.js';

const DIFF_LINES_MAX = 20;
const LINE_UNITS_SHOWN = 300;

/** Replaces a text that occurs exactly once in a file. */
export function editChange(substitution: Substitution): ContentChange {
  const { name, oldText, newText } = substitution;
  return {
    tool: 'edit',
    input: { path: name, ...recordedText('old_text', oldText), ...recordedText('new_text', newText) },
    change: (old) => editContent(substitution, old),
  };
}

function editContent(substitution: Substitution, old: OldContent | null): NewContent {
  const name = shownPath(substitution.name);
  if (old === null) {
    throw new HubError('not_found', `${name} does not exist`, { hint: [rpcMethod('file.write'), ' makes new files'] });
  }
  if (old.bytes === null) {
    throw new HubError('limit', `${name} has ${sizeOf(old.sizeBytes)}: more than ${CHANGED_BYTES_MAX} are not edited`, {
      hint: 'change it with a command, such as sed',
    });
  }
  const result = substitute(old.bytes, old, substitution);
  const removed = linesOf(result.removed);
  const added = linesOf(result.added);
  const facts = { line: result.line, lines_removed: removed.length, lines_added: added.length };
  const counts = `${removed.length} → ${added.length} lines at line ${result.line}`;
  const text = [
    `[edited ${name}: ${counts}]`,
    ...diffLines('-', removed),
    ...diffLines('+', added),
    ...encodingWarning(old, result),
  ];
  return { bytes: result.bytes, text: text.join('\n'), facts: { ...facts, encoding: old.encoding.name } };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function diffLines(sign: string, lines: readonly string[]): string[] {
  const visible = lines.slice(0, DIFF_LINES_MAX).map((line) => `${sign}${line.slice(0, LINE_UNITS_SHOWN)}`);
  return lines.length > DIFF_LINES_MAX ? [...visible, `${sign}[${lines.length - DIFF_LINES_MAX} more lines]`] : visible;
}

/** Warns that new text is UTF-8 in a file of another encoding, which keeps its other bytes. */
function encodingWarning(old: OldContent, { added }: SubstitutionResult): string[] {
  const isForeign = old.encoding.name === 'utf-8' && old.bytes !== null && !isUtf8(old.bytes);
  if (!isForeign || !/[^\0-\x7f]/.test(added)) return [];
  return ['[the file is not UTF-8 throughout; the new text was written as UTF-8]'];
}
