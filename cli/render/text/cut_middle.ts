/** How much of a text stays. */
export interface ExcerptLimits {
  headLines: number;
  tailLines: number;
  headLength: number;
  tailLength: number;
}

const USUAL: ExcerptLimits = { headLines: 24, tailLines: 12, headLength: 4_000, tailLength: 1_500 };

/** A long text's head and tail, and what was left out between them; `null` when the text is short enough. */
export interface Excerpt {
  head: string;
  leftOut: { lines: number; characters: number } | null;
  tail: string;
}

/** Keeps whole lines where it can; a text of one endless line is cut inside it. */
export function excerptOf(text: string, { headLines, tailLines, headLength, tailLength } = USUAL): Excerpt {
  const lines = text.split('\n');
  const many = lines.length > headLines + tailLines + 1;
  const head = (many ? lines.slice(0, headLines).join('\n') : text).slice(0, headLength);
  const rest = text.slice(head.length);
  const tail = (many ? lines.slice(-tailLines).join('\n') : rest).slice(-tailLength);
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
