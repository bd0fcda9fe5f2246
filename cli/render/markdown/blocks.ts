import { lexer, type Token } from 'marked';
import type { Look } from '../look/look.js';
import { renderInline } from './inline.js';
import { renderTable, type Side } from './table.js';

type Drawn = Pick<Look, 'width' | 'style' | 'ruler' | 'glyphs'>;

// Deeper nesting than any real text has.
const NESTED = /^(?:\s*(?:[-*+>]|\d{1,9}[.)])(?:\s|(?=>))*){12,}/m;
const RULE_COLUMNS_MAX = 40;
const BRACKETS_MAX = 1_000;

/** The lines of a complete piece of markdown: paragraphs, headings, quotes, tables. */
export function renderBlocks(text: string, look: Drawn): string[] {
  if (NESTED.test(text) || (text.match(/[[\]<`*_]/g)?.length ?? 0) > BRACKETS_MAX) return text.split('\n');
  return renderTokens(lexer(text), look);
}

function renderTokens(tokens: readonly Token[], look: Drawn): string[] {
  return tokens.flatMap((token) => renderBlock(token, look));
}

function renderBlock(token: Token, look: Drawn): string[] {
  switch (token.type) {
    case 'space':
      return token.raw.includes('\n\n') ? [''] : [];
    case 'heading':
      return renderInline(String(token.text), look.style)
        .split('\n')
        .map((line) => look.style.strong(`${'#'.repeat(Number(token.depth))} ${line}`));
    case 'hr':
      return [look.style.quiet('-'.repeat(Math.max(1, Math.min(RULE_COLUMNS_MAX, look.width - 1))))];
    case 'paragraph':
    case 'text':
      return renderInline(String(token.text), look.style).split('\n');
    case 'code':
      return String(token.text)
        .split('\n')
        .map((line) => look.style.tool(line));
    case 'blockquote':
      return renderTokens(token.tokens ?? [], narrower(look, 2)).map((line) =>
        `${look.style.quiet('>')} ${line}`.trimEnd(),
      );
    case 'table':
      return renderTable(
        {
          header: cells(token.header),
          rows: Array.isArray(token.rows) ? token.rows.map(cells) : [],
          sides: Array.isArray(token.align) ? token.align.map(sideOf) : [],
        },
        look,
      );
    case 'list':
      return renderList(token, look);
    default:
      return rawLines(token.raw);
  }
}

function renderList(token: Token, look: Drawn): string[] {
  if (token.type !== 'list' || !Array.isArray(token.items)) return rawLines(token.raw);
  const first = Number(token.start) || 1;
  const items: Token[] = token.items;
  return items.flatMap((item, index) => {
    const marker = token.ordered === true ? `${first + index}. ` : '- ';
    const indent = ' '.repeat(marker.length);
    const tokens = 'tokens' in item ? (item.tokens ?? []) : [];
    // Of an item that is a task the box is a token of its own, beside those of the text.
    const box = tokens[0]?.type === 'checkbox' ? tokens[0].raw : '';
    const lines = renderTokens(box === '' ? tokens : tokens.slice(1), narrower(look, marker.length));
    return lines.map((line, row) => (row === 0 ? marker + box : indent) + line);
  });
}

function cells(row: unknown): string[] {
  if (!Array.isArray(row)) return [];
  return row.map((cell: unknown) =>
    cell !== null && typeof cell === 'object' && 'text' in cell ? String(cell.text) : '',
  );
}

function sideOf(align: unknown): Side {
  return align === 'right' ? align : 'left';
}

function rawLines(raw: string): string[] {
  return raw.replace(/\n+$/, '').split('\n');
}

function narrower(look: Drawn, columns: number): Drawn {
  return { ...look, width: Math.max(1, look.width - columns) };
}
