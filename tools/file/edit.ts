import { isUtf8 } from 'node:buffer';
import { HubError } from '../../hub/base/error.js';
import { rpcMethod } from '../../hub/base/hint.js';
import { type Change, type Changing, recorded } from './change_file.js';
import { CHANGED_BYTES_MAX, type OldContent } from './content/old_content.js';
import { type Substituted, type Substitution, substitute } from './content/substitution.js';
import { sizeOf } from './look_at_file.js';
import { shownPath } from './path/file_errors.js';

const LINES_SHOWN_MAX = 20;
const LINE_UNITS_SHOWN = 300;

/** Replaces a text that stands exactly once in a file. */
export function editing(asked: Substitution): Changing {
  const { name, oldText, newText } = asked;
  return {
    tool: 'edit',
    input: { path: name, ...recorded('old_text', oldText), ...recorded('new_text', newText) },
    change: (old) => edited(asked, old),
  };
}

function edited(asked: Substitution, old: OldContent | null): Change {
  const name = shownPath(asked.name);
  if (old === null) {
    throw new HubError('not_found', `${name} does not exist`, { hint: [rpcMethod('file.write'), ' makes new files'] });
  }
  if (old.bytes === null) {
    throw new HubError('limit', `${name} has ${sizeOf(old.sizeBytes)}: more than ${CHANGED_BYTES_MAX} are not edited`, {
      hint: 'change it with a command, such as sed',
    });
  }
  const done = substitute(old.bytes, old, asked);
  const removed = linesOf(done.removed);
  const added = linesOf(done.added);
  const facts = { line: done.line, lines_removed: removed.length, lines_added: added.length };
  const counts = `${removed.length} → ${added.length} lines at line ${done.line}`;
  const text = [`[edited ${name}: ${counts}]`, ...shown('-', removed), ...shown('+', added), ...warned(old, done)];
  return { bytes: done.bytes, text: text.join('\n'), facts: { ...facts, encoding: old.encoding.name } };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function shown(sign: string, lines: readonly string[]): string[] {
  const told = lines.slice(0, LINES_SHOWN_MAX).map((line) => `${sign}${line.slice(0, LINE_UNITS_SHOWN)}`);
  return lines.length > LINES_SHOWN_MAX ? [...told, `${sign}[${lines.length - LINES_SHOWN_MAX} more lines]`] : told;
}

/** A file of another encoding keeps its bytes, but what is new in it is UTF-8. */
function warned(old: OldContent, { added }: Substituted): string[] {
  const isForeign = old.encoding.name === 'utf-8' && old.bytes !== null && !isUtf8(old.bytes);
  if (!isForeign || !/[^\0-\x7f]/.test(added)) return [];
  return ['[the file is not UTF-8 throughout; the new text was written as UTF-8]'];
}
