import { HubError } from '../../../hub/base/error.js';
import { shownPath } from '../path/file_errors.js';
import { afterLineFeed, decode, type Encoding, encode, type LineEnds, lineEndsOf, withLineEnds } from './encoding.js';
import { lfViewOf } from './lf_view.js';
import { nearestLines } from './nearest_lines.js';
import { findOccurrences, linesAt, OCCURRENCES_MAX } from './occurrences.js';
import type { OldContent } from './old_content.js';

const LINES_LISTED = 10;

/** A replacement of one text by another. */
export interface Substitution {
  name: string;
  oldText: string;
  newText: string;
}

export interface SubstitutionResult {
  bytes: Buffer;
  /** The first changed line, counted from 1. */
  line: number;
  /** The replaced and the new text, as written in the file. */
  removed: string;
  added: string;
}

/** Replaces a text that occurs exactly once. All other bytes stay as they are, even if they are not text. */
export function substitute(bytes: Buffer, old: OldContent, substitution: Substitution): SubstitutionResult {
  if (substitution.oldText === substitution.newText) {
    throw new HubError('invalid_params', `${shownPath(substitution.name)}: the new text is the same as the old one`, {
      hint: 'nothing would change',
    });
  }
  const { encoding } = old;
  const ranges = findText(bytes, substitution.oldText, old);
  const lines = linesAt(
    bytes,
    ranges.map(({ at }) => at),
    encoding,
  );
  const [range] = ranges;
  const [line] = lines;
  if (range === undefined || line === undefined) throw notFound(bytes, old, substitution);
  if (ranges.length > 1) throw ambiguous(substitution, lines);
  const { at, end } = range;
  const added = encode(withLineEnds(substitution.newText, endsFor(substitution.newText, bytes, { at, old })), encoding);
  return {
    bytes: Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(end)]),
    line,
    removed: decode(bytes.subarray(at, end), encoding),
    added: decode(added, encoding),
  };
}

interface ByteRange {
  at: number;
  end: number;
}

function findText(bytes: Buffer, text: string, { ends, encoding }: OldContent): ByteRange[] {
  if (ends !== 'mixed') return findExact(bytes, withLineEnds(text, ends), encoding);
  // A text with carriage returns of its own is first searched as it is.
  const exact = text.includes('\r') ? findExact(bytes, text, encoding) : [];
  if (exact.length > 0) return exact;
  const { bytes: flat, originalOffset } = lfViewOf(bytes, encoding);
  const ranges = findExact(flat, withLineEnds(text, 'lf'), encoding);
  return ranges.map(({ at, end }) => ({ at: originalOffset(at), end: originalOffset(end) }));
}

function findExact(bytes: Buffer, text: string, encoding: Encoding): ByteRange[] {
  const pattern = encode(text, encoding);
  return findOccurrences(bytes, pattern, encoding).map((at) => ({ at, end: at + pattern.length }));
}

/** The line ends of a new text: those of the file or, where it has both, of the line that it goes into. */
function endsFor(text: string, bytes: Buffer, { at, old }: { at: number; old: OldContent }): LineEnds {
  if (old.ends !== 'mixed') return old.ends;
  if (text.includes('\r')) return 'none';
  const next = afterLineFeed(bytes, at, old.encoding);
  return next === -1 ? 'none' : lineEndsOf(bytes.subarray(at, next), old.encoding);
}

function ambiguous({ name }: Substitution, lines: number[]): HubError {
  const listed = [...new Set(lines)].slice(0, LINES_LISTED).join(', ');
  const times = lines.length >= OCCURRENCES_MAX ? `at least ${OCCURRENCES_MAX}` : String(lines.length);
  return new HubError('conflict', `the old text stands ${times} times in ${shownPath(name)}: in line ${listed}`, {
    hint: 'take more of the lines around it, so that it stands there once',
  });
}

function notFound(bytes: Buffer, old: OldContent, { name, oldText, newText }: Substitution): HubError {
  const near = nearestLines(decode(bytes.subarray(old.encoding.markBytes), old.encoding), oldText);
  const message = `the old text does not stand in ${shownPath(name)}`;
  const made = findText(bytes, newText, old).map(({ at }) => at);
  // As after a call whose answer was lost, which cannot be told from somebody else's edit.
  const isMade =
    made.length === 1
      ? `, or leave it: the new text stands in line ${linesAt(bytes, made, old.encoding)[0]} already`
      : '';
  if (near.length === 0) {
    return new HubError('not_found', message, {
      hint: `nothing in it is like that text: read the file again${isMade}`,
    });
  }
  const passages = near.map(({ line, lines }) => lines.map((shown, index) => `${line + index}: ${shown}`).join('\n'));
  const isBlank = near.some(({ isSameButBlanks }) => isSameButBlanks);
  const listed = `${isBlank ? 'it differs in blanks only; ' : ''}nearest lines:\n${passages.join('\n…\n')}`;
  return new HubError('not_found', `${message}; ${listed}`, {
    hint: `read these lines again, and give them exactly as they are${isMade}`,
  });
}
