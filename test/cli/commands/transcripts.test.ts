import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { PROGRAM, type TestCli, withCli } from '../../support/cli.js';

const Written = z.object({ entries: z.array(z.object({ role: z.string(), content: z.string() }).loose()) });
const Trees = z.array(z.object({ tree: z.object({ id: z.string() }) }));

const entriesIn = (file: string) =>
  Written.parse(JSON.parse(readFileSync(file, 'utf8'))).entries.map(({ timestamp: _, ...entry }) => entry);

/** Asks the demo model, and returns the file that is told on stderr. */
async function transcriptOf({ run }: TestCli, ...words: string[]): Promise<string> {
  const { code, stderr } = await run(['ask', ...words, '--model', 'demo']);
  const file = /^Transcript: (.+\.json)$/m.exec(stderr)?.[1];
  if (code !== 0 || file === undefined) throw new Error(`no transcript is told: ${stderr}`);
  return file;
}

test('where the transcript of a turn is stands on stderr, and a folder can be named for it', async () => {
  await withCli(async (cli) => {
    const usual = await transcriptOf(cli, 'list the files');
    expect(usual.startsWith(join(cli.home, 'sessions/'))).toBe(true);
    expect(entriesIn(usual)[0]).toEqual({ role: 'user', content: 'list the files' });
    mkdirSync(join(cli.folder, 'kept'));
    const named = await transcriptOf(cli, '@', 'list the files', '--transcript-dir', 'kept');
    expect(readdirSync(join(cli.folder, 'kept'))).toEqual([named.split('/').at(-1)]);
    const { code, stderr } = await cli.run(['ask', '@', 'hi', '--model', 'demo', '--transcript-dir', 'missing']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('there is no folder')]);
    expect(existsSync(join(cli.folder, 'missing'))).toBe(false);
  });
});

test('a transcript that is read back is a conversation again, which can be shown and gone on with', async () => {
  await withCli(async (cli) => {
    await cli.print('new', 'first');
    writeFileSync(join(cli.folder, 'main.py'), 'print()\n');
    await cli.print('exec', '@', 'echo mine; echo 数据');
    await cli.run(['exec', '@', 'exit 3']);
    const file = await transcriptOf(cli, '@', 'show me main.py');
    const [imported] = Trees.parse(JSON.parse(await cli.print('import', file, '--json')));
    const tree = imported?.tree.id ?? '';
    const drawn = async (which: string) => (await cli.print('show', which)).replace(/ +● you are here/, '');
    expect(await drawn(tree)).toBe(await drawn('first'));
    expect(await cli.print('context', tree)).toContain('数据');
    await cli.print('use', tree);
    const again = await transcriptOf(cli, '@', 'and list the files');
    expect(entriesIn(again)[0]).toEqual({ role: 'user', content: 'and list the files' });
    const once = entriesIn(file);
    const third = await cli.run(['import', '-'], { input: readFileSync(file) });
    expect(third).toMatchObject({ code: 0, stderr: expect.stringMatching(/^This is a transcript: .*\n$/) });
    expect(once.map(({ role }) => role)).toEqual([
      ...['tool_call', 'tool_result', 'tool_call', 'tool_result', 'user', 'tool_call', 'tool_result', 'assistant'],
    ]);
    expect(await cli.run(['fsck'])).toMatchObject({ code: 0 });
  });
});

test('a call without a result is one that was interrupted, and calls side by side keep their results', async () => {
  await withCli(async (cli) => {
    const call = (id: string) => ({
      role: 'tool_call',
      content: `{"command":"${id}"}`,
      tool_name: 'bash',
      tool_id: id,
    });
    const result = (id: string) => ({ role: 'tool_result', content: `of ${id}`, tool_name: 'bash', tool_id: id });
    const entries = [
      ...[{ role: 'user', content: 'go' }, { role: 'assistant', content: 'I do.' }, call('a'), call('b')],
      ...[result('b'), result('a'), call('c'), result('c'), call('d'), call('e'), result('e')],
    ];
    const input = JSON.stringify({ metadata: { session_id: 'elsewhere' }, entries });
    const [imported] = Trees.parse(JSON.parse((await cli.run(['import', '-', '--json'], { input })).stdout));
    const shown = await cli.print('show', imported?.tree.id ?? '');
    expect(shown.split('\n').slice(0, 8)).toEqual([
      ...['(root)', ' User: go', ' Assistant: I do.', ' [bash:a]', ' [bash:b]', ' [bash:c]', ' [bash:d] killed'],
      expect.stringMatching(/^ \[bash:e\]/),
    ]);
    const read = await cli.print('context', imported?.tree.id ?? '');
    expect(read).toContain('of a');
    expect(read).toContain('interrupted: this call did not finish');
  });
});

const user = '{"role":"user","content":"hi"}';

test.each([
  ['{"metadata":{},"entries":[]}', 'its metadata has no session_id'],
  ['{"metadata":{"session_id":"a"},"entries":{}}', 'its entries are no list'],
  ['{"metadata":{"session_id":"a"},"entries":[]}', 'it has no entries'],
  [`{"metadata":{"session_id":"a"},"entries":[${user},7]}`, 'entry 2 has no role'],
  ['{"metadata":{"session_id":"a"},"entries":[{"role":"user"}]}', 'entry 1 has no content'],
  ['{"metadata":{"session_id":"a"},"entries":[{"role":"god","content":""}]}', 'entry 1 has the role "god"'],
  [
    '{"metadata":{"session_id":"a"},"entries":[{"role":"tool_call","content":"{}"}]}',
    'entry 1 names no tool, or by too long a name',
  ],
  [
    `{"metadata":{"session_id":"a"},"entries":[${user},{"role":"tool_result","content":"","tool_name":"bash","tool_id":"x"}]}`,
    'entry 2 is the result of no call before it',
  ],
  ['{"metadata":{"session_id":"a"},"entries":[{"role"', 'the file is not JSON'],
])('the transcript %s is refused in one clear line, and leaves nothing behind', async (input, reason) => {
  await withCli(async (cli) => {
    const { code, stdout, stderr } = await cli.run(['import', '-'], { input });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^cognition: th[^\n]* cannot be imported: [^\n]*\nhint: [^\n]*\n$/);
    expect(stderr).toContain(reason);
    expect(await cli.json('list')).toEqual([]);
  });
});

test.each([
  [
    'deeper than a message may be',
    `${'['.repeat(200)}${']'.repeat(200)}`,
    'entry 2 is nested more than 90 levels deep',
  ],
  ['deeper than a program can go', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 'entry 2 is nested more than 90 levels'],
  ['of more values than one takes', `[${'1,'.repeat(200_000)}1]`, 'the message has more than 100000 commas'],
])('a call whose input is %s is refused at once, and leaves nothing behind', async (_, input, reason) => {
  await withCli(async (cli) => {
    const tool = { tool_name: 'bash', tool_id: 'c1' };
    const entries = [
      { role: 'user', content: 'hi' },
      { role: 'tool_call', content: input, ...tool },
      { role: 'tool_result', content: 'ok', ...tool },
    ];
    const document = JSON.stringify({ metadata: { session_id: 'a' }, entries });
    const { code, stderr } = await cli.run(['import', '-'], { input: document });
    expect({ code, stderr }).toEqual({ code: expect.any(Number), stderr: expect.stringContaining(reason) });
    expect(code).not.toBe(0);
    expect(await cli.json('list')).toEqual([]);
  });
});

test('a mark before the text, as some editors write it, changes nothing', async () => {
  await withCli(async (cli) => {
    const input = `\ufeff{"metadata":{"session_id":"a"},"entries":[${user}]}`;
    expect(await cli.run(['import', '-'], { input })).toMatchObject({ code: 0 });
    const blank = '{"metadata":{"session_id":"a"},"entries":[{"role":"user","content":" "}]}';
    expect(await cli.run(['import', '-'], { input: blank })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('entry 1 says nothing'),
    });
  });
});

test.runIf(spawnSync('script', ['--version']).status === 0)('a person at a terminal is told a short path', async () => {
  await withCli(async (cli) => {
    const line = `'${process.execPath}' '${PROGRAM}' ask hello --model demo`;
    const env = { PATH: process.env.PATH ?? '', HOME: dirname(cli.home), COGNITION_HOME: cli.home };
    const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], { env, cwd: cli.folder, encoding: 'utf8' });
    expect(stdout).toMatch(/Transcript: ~\/home\/sessions\/[0-9-]{19}-[0-9a-f]{8}\.json\r?\n/);
  });
});
