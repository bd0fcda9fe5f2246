import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type TestCli, userHomeBeside, withCli } from '../../support/cli.js';
import { readBytes } from '../transfer/history/reading.js';

const Opened = z.object({
  session: z.string(),
  path: z.string().nullable(),
  command: z.array(z.string()),
  cwd: z.string(),
});

/** A conversation with a call, and its tree. */
async function talk({ print }: TestCli): Promise<void> {
  await print('ask', 'demo: run echo here\ndemo: then\ndemo: say It says here.', '-m', 'demo');
}

const WANTED = [
  ['user', expect.stringContaining('run echo here')],
  ['assistant', ''],
  ['assistant', 'It says here.'],
];

test.each([
  ['claude', ['--resume'], '.claude/projects/'],
  ['pi', ['--session'], '.pi/agent/sessions/'],
  ['gemini', ['--session-file'], 'handovers/'],
])('a branch is opened in %s as a session in its own form', async (name, words, below) => {
  await withCli(async (cli) => {
    await talk(cli);
    const { session, path, command, cwd } = Opened.parse(await cli.json('open', '--in', name));
    expect(cwd).toBe(cli.folder);
    expect(path).toContain(below);
    expect(command).toEqual([name, ...words, name === 'claude' ? session : path]);
    const bytes = readFileSync(path ?? '');
    const { turns } = await readBytes(name, bytes, name === 'gemini');
    expect(turns.map(({ kind, text }) => [kind, text.trim()])).toEqual(WANTED);
    expect(turns[1]?.calls.map(({ tool, input, output }) => [tool, input, output?.trim()])).toEqual([
      ['bash', { command: 'echo here' }, 'here'],
    ]);
    const again = Opened.parse(await cli.json('open', '--in', name));
    expect(again.session).not.toBe(session);
    expect(readFileSync(path ?? '')).toEqual(bytes);
  });
});

/** Puts a program in the search path; it is a Node script that gets its words and standard input. */
function install({ folder }: TestCli, name: string, script: string): Record<string, string> {
  const bin = join(userHomeBeside(folder), 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!${process.execPath}\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return { PATH: [bin, process.env.PATH ?? ''].join(delimiter) };
}

// As strict as the app server: it answers in order, and only what it knows.
const APP_SERVER = `
const { appendFileSync } = require('node:fs');
const answers = { initialize: () => ({}), 'thread/start': () => ({ thread: { id: 'thread-1' } }), 'thread/inject_items': ({ threadId, items }) => {
  if (threadId !== 'thread-1' || !Array.isArray(items)) throw new Error('no such thread');
  appendFileSync(process.env.HOME + '/items.json', JSON.stringify(items));
  return {};
} };
let isReady = false;
if (process.argv[2] !== 'app-server') process.exit(2);
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialized') { isReady = true; return; }
  const say = (message) => process.stdout.write(JSON.stringify({ id, ...message }) + '\\n');
  if (method !== 'initialize' && !isReady) return say({ error: { code: -32600, message: 'Not initialized' } });
  process.stdout.write(JSON.stringify({ method: 'warning', params: {} }) + '\\n');
  try { say({ result: answers[method](params) }); } catch (error) { say({ error: { code: -32600, message: error.message } }); }
});`;

test('a branch is opened in Codex by its app server', async () => {
  await withCli(async (cli) => {
    await talk(cli);
    const env = install(cli, 'codex', APP_SERVER);
    const { code, stdout, stderr } = await cli.run(['open', '--in', 'codex'], { env });
    expect([code, stdout, stderr]).toEqual([0, 'codex resume thread-1\n', '']);
    const items: unknown = JSON.parse(readFileSync(join(userHomeBeside(cli.folder), 'items.json'), 'utf8'));
    expect(
      z
        .array(z.object({ type: z.string() }))
        .parse(items)
        .map(({ type }) => type),
    ).toEqual([...['message', 'function_call', 'function_call_output', 'message']]);
  });
});

test('a branch is opened in opencode by its own import, and gone on with there', async () => {
  await withCli(async (cli) => {
    await talk(cli);
    const env = install(
      cli,
      'opencode',
      `const { appendFileSync, readFileSync } = require('node:fs');
       const words = process.argv.slice(2);
       if (words[0] === 'import') JSON.parse(readFileSync(words[1], 'utf8'));
       appendFileSync(process.env.HOME + '/words', words[0] + '\\n');
       process.exit(words[0] === 'import' ? 0 : 7);`,
    );
    const { code } = await cli.run(['open', '--in', 'opencode', '--run'], { env });
    expect(code).toBe(7);
    expect(readFileSync(join(userHomeBeside(cli.folder), 'words'), 'utf8')).toBe('import\n--session\n');
  });
});

test('what cannot be opened is said in one line with what to do', async () => {
  await withCli(async (cli) => {
    await cli.print('new', 'empty');
    const told = async (words: string[], env: Record<string, string> = {}) => {
      const { code, stderr } = await cli.run(['open', ...words], { env });
      return [code, stderr];
    };
    expect(await told(['--in', 'claude'])).toEqual([
      2,
      expect.stringMatching(/^cognition: nothing was said .*\nhint: /),
    ]);
    expect(await told([])).toEqual([2, expect.stringMatching(/^cognition: say in which agent\nhint: --in claude/)]);
    await cli.print('add', '@', 'hello');
    const none = { PATH: join(cli.folder, 'nothing') };
    expect(await told(['--in', 'codex'], none)).toEqual([
      3,
      expect.stringMatching(/^cognition: codex is not installed here\nhint: /),
    ]);
    const broken = install(cli, 'opencode', `console.error('no room'); process.exit(1)`);
    expect(await told(['--in', 'opencode'], broken)).toEqual([expect.any(Number), expect.stringContaining('no room')]);
    expect(existsSync(join(cli.home, 'handovers'))).toBe(true);
  });
});
