const HEAD_LINES = 24;
const TAIL_LINES = 12;
const HEAD_LENGTH = 4_000;
const TAIL_LENGTH = 1_500;

/** A long text's head and tail, and what was left out between them; `null` when the text is short enough. */
export interface Excerpt {
  head: string;
  leftOut: { lines: number; characters: number } | null;
  tail: string;
}

/** Keeps whole lines where it can; a text of one endless line is cut inside it. */
export function excerptOf(text: string): Excerpt {
  const lines = text.split('\n');
  const many = lines.length > HEAD_LINES + TAIL_LINES + 1;
  const head = (many ? lines.slice(0, HEAD_LINES).join('\n') : text).slice(0, HEAD_LENGTH);
  const rest = text.slice(head.length);
  const tail = (many ? lines.slice(-TAIL_LINES).join('\n') : rest).slice(-TAIL_LENGTH);
  const middle = rest.slice(0, Math.max(0, rest.length - tail.length));
  if (middle.trim() === '') return { head: text, leftOut: null, tail: '' };
  return {
    head: whole(head),
    // The first and the last line end of what is left out belong to the lines that stay.
    leftOut: { lines: Math.max(0, middle.split('\n').length - 2), characters: middle.length },
    tail: whole(tail),
  };
}

/** Drops halves of characters at the edges of a cut. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
