/** A line, or a part of one that is too long to wait for its end. */
export interface PhysicalLine {
  text: string;
  /** Whether the line goes on in the next one. */
  isCut: boolean;
}

/** A longer line is cut, so that little text is held back. */
const LINE_LENGTH_MAX = 4_000;
const CUT_LENGTH_MIN = 2_000;
const TAB = '    ';

/** Cuts a streamed text into lines, at offsets that do not depend on how it is streamed. */
export interface LineCutter {
  take(piece: string): PhysicalLine[];
  /** The text after the last line end. */
  rest(): string;
}

export function createLineCutter(): LineCutter {
  // The pieces of a line are joined once, when it ends: a text that comes by single characters costs no more.
  let waiting: string[] = [];
  let waitingLength = 0;

  const joinWaiting = (piece: string): string => {
    const line = waiting.join('') + piece;
    waiting = [];
    waitingLength = 0;
    return line;
  };
  const wait = (piece: string): void => {
    if (piece === '') return;
    waiting.push(piece);
    waitingLength += piece.length;
  };

  return {
    take(piece) {
      const lines: PhysicalLine[] = [];
      let start = 0;
      for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
        lines.push(...cutWhole(joinWaiting(piece.slice(start, end))));
        start = end + 1;
      }
      wait(piece.slice(start));
      if (waitingLength <= LINE_LENGTH_MAX) return lines;
      const { parts, rest } = cutLong(joinWaiting(''));
      wait(rest);
      return [...lines, ...parts.map((text) => ({ text, isCut: true }))];
    },
    rest: () => withoutTabs(waiting.join('')),
  };
}

function cutWhole(line: string): PhysicalLine[] {
  const { parts, rest } = cutLong(line);
  return [...parts.map((text) => ({ text, isCut: true })), { text: withoutTabs(rest), isCut: false }];
}

function cutLong(line: string): { parts: string[]; rest: string } {
  const parts: string[] = [];
  let start = 0;
  while (line.length - start > LINE_LENGTH_MAX) {
    const end = start + cutOffset(line.slice(start, start + LINE_LENGTH_MAX));
    parts.push(withoutTabs(line.slice(start, end)));
    start = end;
  }
  return { parts, rest: line.slice(start) };
}

/** After a blank where there is one, else not inside a character. */
function cutOffset(text: string): number {
  const blank = text.lastIndexOf(' ');
  if (blank >= CUT_LENGTH_MIN) return blank + 1;
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}

function withoutTabs(text: string): string {
  return text.includes('\t') ? text.replaceAll('\t', TAB) : text;
}
