import { isSimple, type Ruler } from '../look/ruler.js';
import { cautiousWidth, measuredPieces } from './cautious_width.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOUR = /(\x1b\[[0-9;:]*m)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOUR_END = /^\x1b\[(?:0|2\d|39|49)?m$/;
const COLOURS_END = '\x1b[0m';

/** The rows that a line takes on a screen of so many columns, broken where a terminal breaks it; colours go on below. */
export function wrapRows(line: string, columns: number, ruler: Ruler): string[] {
  if (cautiousWidth(line, ruler) <= columns) return [line];
  const rows: string[] = [];
  let row = '';
  let used = 0;
  let ink = '';
  const newRow = (): void => {
    rows.push(ink === '' ? row : row + COLOURS_END);
    row = ink;
    used = 0;
  };
  const takeSimple = (text: string): void => {
    for (let start = 0; start < text.length; ) {
      if (used >= columns) newRow();
      const part = text.slice(start, start + columns - used);
      row += part;
      used += part.length;
      start += part.length;
    }
  };
  const takeText = (text: string): void => {
    for (const { piece, columns: wide } of measuredPieces(text, ruler)) {
      if (used + wide > columns && used > 0) newRow();
      row += piece;
      used += wide;
    }
  };
  for (const part of line.split(COLOUR)) {
    if (COLOUR.test(part)) {
      row += part;
      ink = COLOUR_END.test(part) ? '' : ink + part;
    } else if (isSimple(part)) takeSimple(part);
    else takeText(part);
  }
  return [...rows, row];
}
