import { HubError } from '../../../hub/base/error.js';
import { shownPath } from '../path/file_errors.js';
import { afterLineFeed, decode, type Encoding, encode, type LineEnds, lineEndsOf, withLineEnds } from './encoding.js';
import { flattened } from './lf_view.js';
import { nearestLines } from './nearest_lines.js';
import { linesAt, PLACES_MAX, placesOf } from './occurrences.js';
import type { OldContent } from './old_content.js';

const LINES_TOLD = 10;

/** One text in place of another. */
export interface Substitution {
  name: string;
  oldText: string;
  newText: string;
}

export interface Substituted {
  bytes: Buffer;
  /** The line that the change begins in, counted from 1. */
  line: number;
  /** The texts as they were and are in the file. */
  removed: string;
  added: string;
}

/** Replaces a text that stands exactly once. All other bytes stay as they are, whatever they mean. */
export function substitute(bytes: Buffer, old: OldContent, asked: Substitution): Substituted {
  if (asked.oldText === asked.newText) {
    throw new HubError('invalid_params', `${shownPath(asked.name)}: the new text is the same as the old one`, {
      hint: 'nothing would change',
    });
  }
  const { encoding } = old;
  const places = placesOfText(bytes, asked.oldText, old);
  const lines = linesAt(
    bytes,
    places.map(({ at }) => at),
    encoding,
  );
  const [place] = places;
  const [line] = lines;
  if (place === undefined || line === undefined) throw notThere(bytes, old, asked);
  if (places.length > 1) throw ambiguous(asked, lines);
  const { at, end } = place;
  const added = encode(withLineEnds(asked.newText, endsFor(asked.newText, bytes, { at, old })), encoding);
  return {
    bytes: Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(end)]),
    line,
    removed: decode(bytes.subarray(at, end), encoding),
    added: decode(added, encoding),
  };
}

interface TextPlace {
  at: number;
  end: number;
}

function placesOfText(bytes: Buffer, text: string, { ends, encoding }: OldContent): TextPlace[] {
  if (ends !== 'mixed') return exactPlaces(bytes, withLineEnds(text, ends), encoding);
  // A text that names a line end of its own is first looked for as it is.
  const exact = text.includes('\r') ? exactPlaces(bytes, text, encoding) : [];
  if (exact.length > 0) return exact;
  const { bytes: flat, placeOf } = flattened(bytes, encoding);
  const places = exactPlaces(flat, withLineEnds(text, 'lf'), encoding);
  return places.map(({ at, end }) => ({ at: placeOf(at), end: placeOf(end) }));
}

function exactPlaces(bytes: Buffer, text: string, encoding: Encoding): TextPlace[] {
  const wanted = encode(text, encoding);
  return placesOf(bytes, wanted, encoding).map((at) => ({ at, end: at + wanted.length }));
}

/** The line ends of a new text: those of the file or, where it has both, of the line that it goes into. */
function endsFor(text: string, bytes: Buffer, { at, old }: { at: number; old: OldContent }): LineEnds {
  if (old.ends !== 'mixed') return old.ends;
  if (text.includes('\r')) return 'none';
  const next = afterLineFeed(bytes, at, old.encoding);
  return next === -1 ? 'none' : lineEndsOf(bytes.subarray(at, next), old.encoding);
}

function ambiguous({ name }: Substitution, lines: number[]): HubError {
  const told = [...new Set(lines)].slice(0, LINES_TOLD).join(', ');
  const times = lines.length >= PLACES_MAX ? `at least ${PLACES_MAX}` : String(lines.length);
  return new HubError('conflict', `the old text stands ${times} times in ${shownPath(name)}: in line ${told}`, {
    hint: 'take more of the lines around it, so that it stands there once',
  });
}

function notThere(bytes: Buffer, old: OldContent, { name, oldText, newText }: Substitution): HubError {
  const near = nearestLines(decode(bytes.subarray(old.encoding.markBytes), old.encoding), oldText);
  const message = `the old text does not stand in ${shownPath(name)}`;
  const made = placesOfText(bytes, newText, old).map(({ at }) => at);
  // So it is after a call whose answer was lost: it is not told from an edit that somebody else has made.
  const isMade =
    made.length === 1
      ? `, or leave it: the new text stands in line ${linesAt(bytes, made, old.encoding)[0]} already`
      : '';
  if (near.length === 0) {
    return new HubError('not_found', message, {
      hint: `nothing in it is like that text: read the file again${isMade}`,
    });
  }
  const places = near.map(({ line, lines }) => lines.map((shown, index) => `${line + index}: ${shown}`).join('\n'));
  const isBlank = near.some(({ isSameButBlanks }) => isSameButBlanks);
  const told = `${isBlank ? 'it differs in blanks only; ' : ''}nearest lines:\n${places.join('\n…\n')}`;
  return new HubError('not_found', `${message}; ${told}`, {
    hint: `read these lines again, and give them exactly as they are${isMade}`,
  });
}
