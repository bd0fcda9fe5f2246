import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../hub/agent/turn/turn_calls.js';
import { withCli } from '../../support/cli.js';
import { say } from '../../support/model/script.js';
import { withTalk } from '../repl/conversation/talk.js';

test('what a program says of nodes is found by it, in lists and searches, and travels with an export', async () => {
  await withCli(async ({ folder, print, json, run }) => {
    for (const name of ['first', 'second']) await print('new', name);
    await print('add', 'first', 'tests are green', '--meta', 'run=42,kind=ci,ok=true');
    await print('add', 'first', 'tests are red', '--meta', '{"run": 43, "kind": "ci", "note": "a, b = c"}');
    await print('add', 'second', 'tests are unknown', '--meta', 'run=42,kind=review');
    await print('add', 'second', 'tests of nobody');
    const listed = async (...words: string[]) => (await print('list', ...words)).match(/first|second/g) ?? [];
    expect(await listed('--meta', 'run=42')).toEqual(['second', 'first']);
    expect(await listed('--meta', 'run=42,kind=ci')).toEqual(['first']);
    expect(await listed('--meta', '{"note": "a, b = c"}')).toEqual(['first']);
    // A text is no number.
    expect(await listed('--meta', '{"run": "42"}')).toEqual([]);
    const found = await json('search', 'tests', '--meta', 'kind=ci');
    expect(found).toMatchObject([{ snippet: 'tests are red' }, { snippet: 'tests are green' }]);
    expect(await json('context', 'first')).toMatchObject([
      { role: 'root' },
      { meta: { kind: 'ci', ok: true, run: 42 } },
      { meta: { kind: 'ci', note: 'a, b = c', run: 43 } },
    ]);
    const file = join(folder, 'first.json');
    await print('export', 'first', '--format', 'json', '--output', file);
    const other = { env: { COGNITION_HOME: join(folder, 'other') } };
    expect((await run(['import', file], other)).code).toBe(0);
    expect((await run(['list', '--meta', 'run=43'], other)).stdout).toContain('first');
    expect((await run(['fsck'], other)).code).toBe(0);
    await run(['hub', 'stop'], other);
  });
});

test('wrong words of --meta are told', async () => {
  await withCli(async ({ print, run }) => {
    await print('new', 'first');
    for (const [meta, said] of [
      ['run', '--meta takes key=value, not "run"'],
      ['=42', '--meta takes key=value, not "=42"'],
      ['{run', '--meta is no JSON'],
      ['{"run": [1]}', 'meta'],
      ['__proto__=1', 'meta'],
      ['{}', 'meta'],
      [`a=${'x'.repeat(1_001)}`, 'meta'],
      [Array.from({ length: 21 }, (_, at) => `k${at}=1`).join(), 'meta'],
    ] as const) {
      const { code, stderr } = await run(['add', 'first', 'text', '--meta', meta]);
      expect([meta, code, stderr]).toEqual([meta, 2, expect.stringContaining(said)]);
    }
    expect(await print('list', '--meta', 'nothing=here')).toBe('');
  });
});

test('no model is sent what a program says of a node', async () => {
  await withTalk(async ({ cli, server, env }) => {
    server.script(say(words('Answered.')));
    await cli.print('new', 'notes');
    await cli.print('add', 'notes', 'a remark', '--meta', 'secretkey=secretvalue');
    expect((await cli.run(['ask', '@', 'what now?'], { env })).code).toBe(0);
    expect(server.requests.at(-1)?.text).toContain('a remark');
    expect(server.requests.at(-1)?.text).not.toMatch(/secretkey|secretvalue/);
  });
});
