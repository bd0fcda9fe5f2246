import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Code } from './code.js';
import { blocksOf, createGrowingBlocks } from './markdown_blocks.js';
import { memo } from './memo.js';
import { safeAddress, withCharacters } from './plain_text.js';

// Tokens become elements. No HTML string is made anywhere, so there is nothing to be injected.

export const Markdown = memo(({ text }: { text: string }) => (
  <div class="md">
    <Blocks tokens={blocksOf(text)} isLive={false} />
  </div>
));

/** A text that is being written. Finished blocks stay as they are, in chunks that need no layout off the screen. */
export function GrowingMarkdown({ text }: { text: string }) {
  const read = useRef(createGrowingBlocks());
  const { chunks, rest } = read.current(text);
  return (
    <div class="md">
      {chunks.map((tokens, index) => (
        <div key={index} class="chunk">
          <Blocks tokens={tokens} isLive={false} />
        </div>
      ))}
      <div class="chunk-live">
        <Blocks tokens={rest} isLive />
      </div>
    </div>
  );
}

const Blocks = memo(({ tokens, isLive }: { tokens: readonly Token[]; isLive: boolean }) => (
  <>
    {tokens.map((token, index) => (
      <Block key={index} token={token} isLive={isLive} />
    ))}
  </>
));

/** The same source draws the same: of a text that grows only its last block is drawn again. */
const Block = memo(
  ({ token, isLive }: { token: Token; isLive: boolean }) => <>{block(token, isLive)}</>,
  (a, b) => a.token.raw === b.token.raw && a.token.type === b.token.type && a.isLive === b.isLive && !hasLinks(b.token),
);

/** A link may get its address from elsewhere in the text. */
function hasLinks(token: Token): boolean {
  return token.raw.includes('[');
}

const KINDS: ReadonlySet<string> = new Set<MarkedToken['type']>([
  ...([
    'blockquote',
    'br',
    'checkbox',
    'code',
    'codespan',
    'def',
    'del',
    'em',
    'escape',
    'heading',
    'hr',
    'html',
  ] as const),
  ...(['image', 'link', 'list', 'list_item', 'paragraph', 'space', 'strong', 'table', 'text'] as const),
]);

/** The other tokens are those of extensions, of which there are none. */
function isMarked(token: Token): token is MarkedToken {
  return KINDS.has(token.type);
}

function block(token: Token, isLive: boolean): ComponentChildren {
  if (!isMarked(token)) return <p>{token.raw}</p>;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'hr':
      return <hr />;
    case 'heading':
      // Below the heading of the page, whatever its author took: a level that is left out confuses who listens.
      return <h3 class={`depth${token.depth}`}>{inline(token.tokens)}</h3>;
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>;
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, isLive)}</blockquote>;
    case 'code':
      return <Code text={token.text} language={token.lang ?? ''} isDone={!isLive || /[`~]{3}\s*$/.test(token.raw)} />;
    case 'list':
      return list(token, isLive);
    case 'table':
      return <Table table={token} />;
    case 'html':
      return <p class="raw">{token.raw}</p>;
    default:
      return <p>{inlineToken(token)}</p>;
  }
}

function blocks(tokens: readonly Token[], isLive: boolean): ComponentChildren {
  return tokens.map((token, index) => <Block key={index} token={token} isLive={isLive} />);
}

function list({ ordered, start, items }: Tokens.List, isLive: boolean): ComponentChildren {
  const drawn = items.map((item, index) => (
    <li key={index} class={item.task ? 'task' : undefined}>
      {item.tokens.map((token) =>
        token.type === 'text' || token.type === 'checkbox' ? inlineToken(token) : block(token, isLive),
      )}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{drawn}</ol> : <ul>{drawn}</ul>;
}

function Table({ table }: { table: Tokens.Table }) {
  const side = (index: number): string | undefined => table.align[index] ?? undefined;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) =>
              cell.text.trim() === '' ? (
                <td key={index} />
              ) : (
                <th key={index} scope="col" class={side(index)}>
                  {inline(cell.tokens)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, number) => (
            <tr key={number}>
              {row.map((cell, index) => (
                <td key={index} class={side(index)}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[]): ComponentChildren {
  return tokens.map(inlineToken);
}

function inlineToken(token: Token): ComponentChildren {
  if (!isMarked(token)) return token.raw;
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'del':
      return <del>{inline(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'checkbox':
      return <input type="checkbox" checked={token.checked} disabled aria-label={token.checked ? 'done' : 'to do'} />;
    case 'link':
      return <Link address={token.href}>{inline(token.tokens)}</Link>;
    case 'image':
      // Loading it would tell its server that it was looked at: a link stands for it.
      return <Link address={token.href}>picture: {withCharacters(token.text) || 'without a name'}</Link>;
    case 'escape':
      return token.text;
    case 'text':
      return token.tokens === undefined ? withCharacters(token.text) : inline(token.tokens);
    default:
      return <span class="raw">{token.raw}</span>;
  }
}

function Link({ address, children }: { address: string; children: ComponentChildren }) {
  const safe = safeAddress(address);
  if (safe === null) {
    return (
      <span class="nolink" title={address}>
        {children}
      </span>
    );
  }
  return (
    <a href={safe} rel="noopener noreferrer nofollow" target="_blank">
      {children}
    </a>
  );
}
