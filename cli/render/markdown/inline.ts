import { Lexer, type Token } from 'marked';
import type { Style } from '../look/style.js';

// Deeper or denser than this is no prose, and would cost more than it is worth.
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

/** The address is always seen: nobody is to be sent elsewhere than they think. */
function renderLink(token: Token, style: Style): string {
  if (token.type !== 'link' && token.type !== 'image') return token.raw;
  const address = String(token.href);
  const text = token.type === 'link' ? renderTokens(token.tokens ?? [], style) : String(token.text);
  const isSame = token.text === address || `mailto:${token.text}` === address || text === '';
  if (token.type === 'link' && isSame) return text === '' ? address : text;
  const shown = token.type === 'image' ? `[image: ${text}]` : text;
  return `${shown} ${style.quiet(`(${address})`)}`;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

/** The few that are written by hand; any other could stand for a control character. */
function withoutEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}

/** No colour goes over the end of a line, so that each stands for itself. */
function eachLine(text: string, ink: (line: string) => string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : ink(line)))
    .join('\n');
}
