import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { call, words } from '../hub/agent/turn/turn_calls.js';
import { say } from '../support/model/script.js';
import { told, withAgent } from '../support/turns.js';

const SKILL = fileURLToPath(new URL('../../docs/examples/skills/web-search', import.meta.url));
const run = promisify(execFile);

interface Found {
  origin: string;
  /** What was looked for. */
  queries: string[];
}

/** A search server on the loopback: `/json` answers with data, `/page` with a page, `/broken` not at all. */
async function withSearchServer<T>(use: (server: Found) => Promise<T>): Promise<T> {
  const queries: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    queries.push(searchParams.get('q') ?? '');
    if (pathname === '/json') response.setHeader('content-type', 'application/json').end(JSON.stringify({ results }));
    else if (pathname === '/page') response.setHeader('content-type', 'text/html').end(PAGE);
    else response.writeHead(503).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = addressOf(server);
  try {
    return await use({ origin: `http://127.0.0.1:${port}`, queries });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function addressOf(server: Server): { port: number } {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on TCP');
  return address;
}

const results = [
  { title: 'Trees & <b>forks</b>', url: 'https://example.org/trees', content: 'Every\nmessage is a node.\u001b[31m' },
  { title: '分支', url: 'https://example.org/%E5%88%86', content: 'x'.repeat(1_000) },
  { title: 'The third', url: 'https://example.org/3', content: '' },
];

const PAGE = `<html><body>
<h2><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2Fa%3Fb%3D1&amp;rut=1">One &amp; <b>only</b></a></h2>
<a class="result__snippet" href="//x">An <b>excerpt</b> &#x27;here&#39;</a>
<h2><a rel="nofollow" class="result__a" href="https://example.org/plain">Without excerpt</a></h2>
</body></html>`;

async function searched(...words: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const { stdout, stderr, code } = await run(process.execPath, [join(SKILL, 'search.mjs'), ...words]).then(
    (printed) => ({ ...printed, code: 0 }),
    (error: { code: unknown; stdout: string; stderr: string }) => error,
  );
  return { code, stdout, stderr };
}

test('the example skill prints results of a server that answers with data', async () => {
  await withSearchServer(async ({ origin, queries }) => {
    const found = await searched('--query', 'a & b', '--max-results', '2', '--server', `${origin}/json`);
    expect(found).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        '1. Trees & forks',
        '   https://example.org/trees',
        '   Every message is a node. [31m',
        '',
        '2. 分支',
        '   https://example.org/%E5%88%86',
        `   ${'x'.repeat(300)}…`,
        '',
      ].join('\n'),
    });
    expect(queries).toEqual(['a & b']);
  });
});

test('the example skill reads a page of results', async () => {
  await withSearchServer(async ({ origin }) => {
    const { stdout } = await searched('--query', 'one', '--server', `${origin}/page`);
    expect(stdout).toBe(
      "1. One & only\n   https://example.org/a?b=1\n   An excerpt 'here'\n\n2. Without excerpt\n   https://example.org/plain\n",
    );
  });
});

test('the example skill says what is wrong, and by its exit code whose fault it is', async () => {
  await withSearchServer(async ({ origin }) => {
    expect(await searched()).toMatchObject({ code: 2, stderr: expect.stringContaining('--query is missing') });
    expect(await searched('--query', 'x', '--max-results', '0')).toMatchObject({ code: 2 });
    expect(await searched('--query', 'x', '--server', 'file:///etc/passwd')).toMatchObject({ code: 2 });
    expect(await searched('--query', 'x', '--frobnicate')).toMatchObject({ code: 2 });
    expect(await searched('--query', 'x', '--server', `${origin}/broken`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('503'),
    });
  });
});

test('a model finds the skill in its list, reads it and runs it, and only with the network', async () => {
  await withSearchServer(async ({ origin, queries }) => {
    await withAgent(async ({ say: ask, run: turn, path, server, project }) => {
      const folder = join(project, '.cognition', 'skills', 'web-search');
      cpSync(SKILL, folder, { recursive: true });
      const command = `node ${folder}/search.mjs --query trees --max-results 1 --server ${origin}/json`;
      const script = () =>
        server.script(
          say(call('c1', 'read', { path: join(folder, 'SKILL.md') })),
          say(call('c2', 'bash', { command })),
          say(words('There.')),
        );
      script();
      const held = told(await path((await turn(await ask('search the web for trees'))).tip));
      expect(server.requests[0]?.text).toContain('Searches the web and prints titles');
      expect(held.find((line) => line.startsWith('read: '))).toContain('Needs the network');
      expect(held.find((line) => line.startsWith('bash: '))).toContain('is the network on?');
      expect(queries).toEqual([]);
      script();
      const granted = told(await path((await turn(await ask('once more'), { grants: { network: true } })).tip));
      expect(granted.find((line) => line.startsWith('bash: '))).toContain('1. Trees & forks');
      expect(queries).toEqual(['trees']);
    });
  });
});

test('the program that wraps a server, as the page shows it, calls a tool and prints its answer', async () => {
  await withAgent(async ({ project }) => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/skills.md', import.meta.url)), 'utf8');
    const shown = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const server = join(project, 'server.mjs');
    writeFileSync(server, SERVER);
    const program = join(project, 'call.mjs');
    writeFileSync(program, shown.replace("'the-server', ['--stdio']", `process.execPath, ['${server}']`));
    const { stdout } = await run(process.execPath, [program, 'add', '{"a":1,"b":2}']);
    expect(stdout).toBe('3\n');
    await expect(run(process.execPath, [program, 'subtract'])).rejects.toMatchObject({ code: 1 });
  });
});

const SERVER = `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const say = (answer) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  if (method === 'initialize') say({ result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: {} } });
  if (method !== 'tools/call') continue;
  const { a, b } = params.arguments;
  if (params.name === 'add') say({ result: { content: [{ type: 'text', text: String(a + b) }] } });
  else say({ error: { code: -32602, message: 'no such tool' } });
}
`;
