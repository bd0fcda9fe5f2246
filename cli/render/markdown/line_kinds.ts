/** The kind of a line of markdown, seen by itself. */
export type LineKind =
  | { kind: 'fence'; mark: string; size: number; language: string }
  | { kind: 'item'; marker: string; ordered: boolean; content: string; contentIndent: number }
  | { kind: 'alone' }
  | { kind: 'underline' }
  | { kind: 'quote' }
  | { kind: 'text' };

const FENCE = /^(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/;
const TILDE_FENCE = /^(~{3,})\s*(\S*)/;
const ITEM = /^([-*+]|\d{1,9}[.)])(?: (.*)|)$/s;
const HEADING = /^#{1,6}(?: |$)/;
const RULE = /^(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const UNDERLINE = /^(?:=+|-+) *$/;

/** The kind of a line without its indentation. */
export function kindOf(text: string): LineKind {
  const fence = FENCE.exec(text) ?? TILDE_FENCE.exec(text);
  if (fence !== null) {
    const [, marks = '', language = ''] = fence;
    return { kind: 'fence', mark: marks.slice(0, 1), size: marks.length, language };
  }
  if (UNDERLINE.test(text)) return { kind: 'underline' };
  if (HEADING.test(text) || RULE.test(text)) return { kind: 'alone' };
  const item = ITEM.exec(text);
  if (item !== null) return itemOf(item[1] ?? '', item[2] ?? '');
  return text.startsWith('>') ? { kind: 'quote' } : { kind: 'text' };
}

function itemOf(marker: string, text: string): LineKind {
  const blanks = /^ {0,3}(?=\S)/.exec(text)?.[0].length ?? 0;
  const contentIndent = marker.length + 1 + blanks;
  return { kind: 'item', marker, ordered: marker.length > 1, content: text.slice(blanks), contentIndent };
}

/** Whether a line closes a fence that was opened with these marks. */
export function endsFence(text: string, fence: { mark: string; size: number }): boolean {
  const marks = text.trim();
  return marks.length >= fence.size && marks === fence.mark.repeat(marks.length) && !/^ {4}/.test(text);
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
