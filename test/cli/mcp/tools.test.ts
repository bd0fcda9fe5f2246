import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { PROFILES, textIn, withOutsideClient } from '../../support/outside_client.js';

for (const profile of PROFILES) {
  test(`${profile.name} lets a model work and asks one, and finds both again`, () =>
    withCli((cli) =>
      withOutsideClient(cli, profile, async ({ client, call, shown }) => {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual([
          ...['work_with', 'consult_with', 'group_think', 'list_sessions', 'describe_session'],
          ...['search_project_history', 'count_project_tokens'],
        ]);
        for (const { _meta } of tools.slice(0, 3)) expect(_meta).toMatchObject({ 'anthropic/alwaysLoad': true });
        const task = 'demo: run echo made > made; env\ndemo: then\ndemo: say it is made';
        const worked = await call('work_with', { agent: 'demo', task, session_id: 'first' });
        expect(worked.isError).toBeUndefined();
        expect(shown(worked)).toContain('it is made');
        const [line = ''] = textIn(worked).split('\n');
        const [, node = '', file = ''] = /^session first, node (\S+), all of it in (\S+)$/.exec(line) ?? [];
        expect(await cli.print('show', 'first', '--ids')).toContain(node.slice(0, 8));
        expect(await cli.print('context', 'first')).toContain('it is made');
        expect(file).toContain(cli.home);
        expect(await cli.print('context', 'first')).not.toContain('a-secret-of-theirs');
        const consulted = await call('consult_with', {
          model: 'demo',
          question: 'demo: run touch looked\ndemo: then\ndemo: say I looked',
          session_id: 'first',
        });
        expect(shown(consulted)).toContain('I looked');
        expect(await cli.print('exec', 'first', 'ls')).not.toContain('looked');
        const thought = await call('group_think', { models: ['demo'], question: 'why?', session_id: 'g', rounds: 1 });
        expect(textIn(thought)).toMatch(/^session g, node \S+/);
        expect(shown(await call('list_sessions', {}))).toContain('first');
        expect(shown(await call('describe_session', { session_id: 'first' }))).toMatch(/it is made[\s\S]*I looked/);
        expect(shown(await call('search_project_history', { query: 'looked' }))).toContain('first');
        expect(await cli.print('sessions', 'first')).toContain('demo/demo');
      }),
    ));

  test(`${profile.name} is shown where all of a long answer is, and errors as such`, () =>
    withCli((cli) =>
      withOutsideClient(cli, profile, async ({ call, shown }) => {
        const long = await call('consult_with', { model: 'demo', question: 'demo: words 20000' });
        expect(shown(long).length).toBeLessThanOrEqual(profile.lengthMax);
        expect(textIn(long).length).toBeLessThanOrEqual(10_000);
        expect(shown(long)).toMatch(/all of it in \/\S+\.json/);
        expect(shown(long)).toMatch(/word1 [\s\S]*word20000/);
        for (const [name, input] of [
          ['work_with', { agent: 'no/such', task: 'hello' }],
          ['work_with', { agent: 'demo', task: 'demo: fail rejected' }],
          ['consult_with', { model: 'demo', question: 'hello', context: ['../outside'] }],
          ['group_think', { models: ['claude-3-opus'], question: 'hello' }],
          ['describe_session', { session_id: 'nowhere' }],
          ['work_with', { agent: 'demo', task: 'hello', session_id: '\u0007' }],
        ] as const) {
          const failed = await call(name, input);
          expect(failed.isError).toBe(true);
          expect(textIn(failed)).toContain(`${name} failed: `);
        }
      }),
    ));
}

const [claude] = PROFILES;

test('what is under way is told again and again, and a cancelled call ends its turn', () =>
  withCli((cli) =>
    withOutsideClient(cli, claude ?? failing(), async ({ client }) => {
      const abort = new AbortController();
      const told: string[] = [];
      const running = client.callTool(
        {
          name: 'work_with',
          arguments: { agent: 'demo', task: 'demo: run echo begun; sleep 600', session_id: 'long' },
        },
        {
          signal: abort.signal,
          timeout: 600_000,
          onprogress({ message = '' }) {
            told.push(message);
            if (message.startsWith('bash')) abort.abort();
          },
        },
      );
      await expect(running).rejects.toThrow();
      expect(told[0]).toBe('it begins');
      const [turn] = await cli.json('ask', 'long', '--continue', '--model', 'demo').then(
        () => [null],
        () => [null],
      );
      expect(turn).toBeNull();
      expect(await cli.print('context', 'long')).toContain('sleep 600');
    }),
  ));

test('the end of the agent ends what it has begun', () =>
  withCli(async (cli) => {
    await withOutsideClient(cli, claude ?? failing(), async ({ client }) => {
      await new Promise<void>((resolve) => {
        const input = { agent: 'demo', task: 'demo: run echo begun; sleep 600', session_id: 'left' };
        client
          .callTool(
            { name: 'work_with', arguments: input },
            { onprogress: ({ message = '' }) => (message.startsWith('bash') ? resolve() : undefined) },
          )
          .catch(() => undefined);
      });
    });
    expect(await cli.print('sessions', '--json')).toContain('"is_busy":false');
  }));

test('a session of another project is not the one of this, and both are found by their name', () =>
  withCli(async (cli) => {
    const other = join(cli.folder, 'other');
    mkdirSync(other);
    const consult = ['consult', 'demo: say hello', '--model', 'demo', '--session', 'same'];
    expect((await cli.run(consult)).stdout).toContain('hello');
    expect((await cli.run(consult, { folder: other })).stdout).toContain('hello');
    expect((await cli.run(consult, { folder: other })).stdout).toContain('hello');
    const listed = await cli.run(['sessions', '--json'], { folder: other });
    expect(JSON.parse(listed.stdout)).toMatchObject({ sessions: [{ session: 'same', messages: 4 }] });
  }));

test('tokens are counted of what git would list, and of a part of it', () =>
  withCli((cli) =>
    withOutsideClient(cli, claude ?? failing(), async ({ call }) => {
      mkdirSync(join(cli.folder, 'src'));
      writeFileSync(join(cli.folder, 'src', 'a.ts'), 'x'.repeat(4_000));
      writeFileSync(join(cli.folder, 'b.md'), 'x'.repeat(400));
      writeFileSync(join(cli.folder, 'c.png'), Buffer.from([137, 80, 78, 71, 0, 0, 0]));
      const all = await call('count_project_tokens', {});
      expect(all.structuredContent).toMatchObject({
        ...{ files: 3, binary_files: 1, tokens: 1_100, is_whole: true },
        largest: [
          { path: 'src/a.ts', tokens: 1_000 },
          { path: 'b.md', tokens: 100 },
        ],
        folders: [{ path: 'src', tokens: 1_000 }],
      });
      expect((await call('count_project_tokens', { items: ['src'] })).structuredContent).toMatchObject({
        tokens: 1_000,
      });
    }),
  ));

test('without an agent it ends with its input, and answers garbage', () =>
  withCli(async (cli) => {
    const { code, stdout } = await cli.run(['mcp'], {
      input: 'not json\n{"jsonrpc":"2.0","id":1,"method":"no/such"}\n',
    });
    expect(code).toBe(0);
    for (const line of stdout.split('\n').filter((text) => text !== ''))
      expect(JSON.parse(line)).toHaveProperty('error');
  }));

function failing(): never {
  throw new RangeError('there is no such profile');
}
