import type { WebSocketRoute } from 'playwright-core';
import type { ServedPage } from '../../web/server/served_page.js';
import type { Row } from '../row.js';
import { cpuMs } from './measures.js';
import { innerHtml } from './ways_not_taken.js';

const PIECES = 2_000;
const EVERY_MS = 5;
const PIECE_LENGTH = 12;

/** An answer of the usual kinds of blocks, about as long as a page has room for twenty times. */
function pieces(): string[] {
  const part = (number: number): string => `## Part ${number}

The parser takes **4.2 s instead of 25.6 s**, see \`src/parse.ts\` and [the notes](https://example.org/${number}).

- one that is short
- one that is longer, with *emphasis* and a few more words

| part | time |
|---|---:|
| parse | ${number} s |

\`\`\`ts
export function part${number}(text: string): string[] {
  return text.split(',').map((field) => field.trim());
}
\`\`\`

`;
  let text = '';
  for (let number = 0; text.length < PIECES * PIECE_LENGTH; number += 1) text += part(number);
  return Array.from({ length: PIECES }, (_, at) => text.slice(at * PIECE_LENGTH, (at + 1) * PIECE_LENGTH));
}

/** What an answer costs that comes in 200 pieces a second: the page is told of it as by a hub. */
export async function streamRows(served: ServedPage): Promise<Row[]> {
  await served.print('ask', 'list the files', '--model', 'demo');
  const link = await served.serve('@');
  let socket: WebSocketRoute | null = null;
  let stream: string | null = null;
  const page = await served.open(link, async (opened) => {
    await opened.routeWebSocket(/\/hub$/, (route) => {
      const hub = route.connectToServer();
      socket = route;
      route.onMessage((message) => {
        const [, name] = /"agent\.follow".*"stream":"(\w+)"/.exec(String(message)) ?? [];
        stream = name ?? stream;
        hub.send(message);
      });
    });
  });
  await page.getByText('I found no files').waitFor();
  const told = (event: object): void => {
    const turn = '00000000-0000-4000-8000-00000000beef';
    socket?.send(
      JSON.stringify({ jsonrpc: '2.0', method: 'stream.event', params: { stream, event: { turn, ...event } } }),
    );
  };
  const tip = await tipOf(served);
  told({ kind: 'turn_started', node: tip, model: 'demo/scripted' });
  const list = pieces();
  const headings = [...list.join('').matchAll(/## (Part \d+)\n/g)].map(([, words = '']) => words);
  const taken = await cpuMs(page, async () => {
    const startedAt = performance.now();
    for (const [at, text] of list.entries()) {
      const waitMs = startedAt + at * EVERY_MS - performance.now();
      if (waitMs > 0) await page.waitForTimeout(waitMs);
      told({ kind: 'text_added', text });
    }
    await page
      .locator('.live')
      .getByRole('heading', { name: headings.at(-2) ?? '', exact: true })
      .waitFor({ state: 'attached' });
  });
  await page.context().close();
  const other = await innerHtml(list, EVERY_MS);
  const each = (ms: number, count: number): string => `${(ms / count).toFixed(1)} ms of CPU a piece`;
  return [
    {
      what: `${1_000 / EVERY_MS} pieces/s of Markdown, of a core`,
      ...{ value: (100 * taken) / (PIECES * EVERY_MS), unit: '%', budget: { most: 50 } },
      from: `${each(taken, PIECES)}; innerHTML ${each(other.cpuMs, other.managed)}, ${other.managed} of ${PIECES} in time`,
    },
  ];
}

async function tipOf(served: ServedPage): Promise<string> {
  const shown = await served.json('show', '@');
  return String(Reflect.get(Object(shown), 'position'));
}
