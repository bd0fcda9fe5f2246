import { Lexer, type Token } from 'marked';
import type { Style } from '../look/style.js';

// Deeper or denser markup than this is not prose, and is drawn as it is written.
const MARKS_MAX = 1_000;
const MARKS = /[*_`[\]<~!\\]/g;

/** The text of a paragraph with its emphasis; line ends stay where they are. */
export function renderInline(text: string, style: Style): string {
  if ((text.match(MARKS)?.length ?? 0) > MARKS_MAX) return text;
  return renderTokens(Lexer.lexInline(text), style);
}

function renderTokens(tokens: readonly Token[], style: Style): string {
  return tokens.map((token) => renderToken(token, style)).join('');
}

function renderToken(token: Token, style: Style): string {
  switch (token.type) {
    case 'strong':
    case 'em':
      return eachLine(renderTokens(token.tokens ?? [], style), style.strong);
    case 'del':
      return eachLine(renderTokens(token.tokens ?? [], style), (line) => `~~${line}~~`);
    case 'codespan':
      return eachLine(String(token.text), style.tool);
    case 'link':
    case 'image':
      return renderLink(token, style);
    case 'br':
      return '\n';
    case 'escape':
      return String(token.text);
    case 'text':
      return token.tokens === undefined ? withoutEntities(token.raw) : renderTokens(token.tokens, style);
    default:
      return token.raw;
  }
}

/** The address is always visible, so that the text of a link cannot lie about its target. */
function renderLink(token: Token, style: Style): string {
  if (token.type !== 'link' && token.type !== 'image') return token.raw;
  const address = String(token.href);
  const text = token.type === 'link' ? renderTokens(token.tokens ?? [], style) : String(token.text);
  const isSame = token.text === address || `mailto:${token.text}` === address || text === '';
  if (token.type === 'link' && isSame) return text === '' ? address : text;
  const label = token.type === 'image' ? `[image: ${text}]` : text;
  return `${label} ${style.quiet(`(${address})`)}`;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

/** Only the entities that are written by hand; any other could stand for a control character. */
function withoutEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}

/** Colours each line by itself, so that no colour crosses the end of a line. */
function eachLine(text: string, ink: (line: string) => string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : ink(line)))
    .join('\n');
}
