import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STEP_CALLS_MAX } from '../../../../hub/protocol/limits.js';
import { NodeId } from '../../../../hub/protocol/node.js';
import { say } from '../../../support/model/script.js';
import { told, withAgent } from '../../../support/turns.js';
import { call, words } from './turn_calls.js';

test('a model works through its tools until it answers, and every step is on the path', async () => {
  await withAgent(async ({ say: ask, begin, path, server, project }) => {
    mkdirSync(join(project, 'src'));
    writeFileSync(join(project, 'src', 'main.py'), 'print("hello")\n');
    server.script(
      say(words('I look.'), call('c1', 'bash', { command: 'ls src/*.py' })),
      say(
        call('c2', 'write', { path: 'new/a.txt', content: 'one\n' }),
        call('c3', 'edit', { path: 'new/a.txt', old_text: 'one', new_text: 'two' }),
        call('c4', 'read', { path: 'new/a.txt' }),
        call('c5', 'read', { path: 'src/main.py' }),
      ),
      say(words('I found 1 Python file.')),
    );
    const turn = begin(await ask('list the python files in src/'));
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({ state: 'done', why: 'answered', failure: null, text: 'I found 1 Python file.' });
    expect(outcome.usage).toMatchObject({ tokens_out: 3 * 42 });
    expect(told(await path(outcome.tip))).toEqual([
      'root: ',
      'user: list the python files in src/',
      'assistant: I look.|<call>',
      'bash: src/main.py\n',
      'assistant: <call>|<call>|<call>|<call>',
      expect.stringContaining('write: '),
      expect.stringContaining('edit: '),
      expect.stringContaining('read: '),
      expect.stringContaining('print("hello")'),
      'assistant: I found 1 Python file.',
    ]);
    expect(readFileSync(join(project, 'new', 'a.txt'), 'utf8')).toBe('two\n');
    expect(server.requests).toHaveLength(3);
    const kinds = turn.events.map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(['turn_started', 'transcript_opened', 'request_started']);
    expect(kinds.at(-1)).toBe('turn_ended');
    expect(kinds.filter((kind) => kind === 'step_committed')).toHaveLength(3);
    expect(existsSync(join(project, 'new', 'a.txt'))).toBe(true);
  });
});

test('what a model calls wrongly is told to it as a failed result, and the turn goes on', async () => {
  await withAgent(async ({ say: ask, run, path, server }) => {
    server.script(
      say(
        call('c1', 'fly', { to: 'the moon' }),
        call('c2', 'read', {}),
        call('c3', 'bash', '{"command": "ls'),
        call('c4', 'read', { path: 'nowhere.txt' }),
        call('c5', 'bash', { command: 'exit 3' }),
      ),
      say(words('All of that failed.')),
    );
    const { state, tip } = await run(await ask('try'));
    expect(state).toBe('done');
    const results = told((await path(tip)).filter(({ kind }) => kind === 'external'));
    expect(results[0]).toBe('fly: there is no tool "fly" (your tools are: read, write, edit, bash, spawn_session)');
    expect(results[1]).toContain('read was not run: path:');
    expect(results[2]).toContain('bash was not run:');
    expect(results[3]).toContain('nowhere.txt');
    expect(results[4]).toContain('(exit code 3)');
    const sent = JSON.stringify(server.requests[1]?.body.messages);
    expect(sent.match(/"is_error":true/g)).toHaveLength(5);
  });
});

test('a command that is killed or timed out has failed for clients as it has for the model', async () => {
  await withAgent(async ({ say: ask, begin, server }) => {
    server.script(
      say(
        call('c1', 'bash', { command: 'kill -9 $$' }),
        call('c2', 'bash', { command: 'exec sleep 60', timeout: 0.1 }),
        call('c3', 'bash', { command: 'true' }),
      ),
      say(words('Two did not end well.')),
    );
    const turn = begin(await ask('try'));
    await turn.outcome;
    const ends = turn.events.flatMap((event) => (event.kind === 'call_ended' ? [event.failed] : []));
    expect(ends).toEqual([true, true, false]);
    const sent = JSON.stringify(server.requests[1]?.body.messages);
    expect(sent.match(/"is_error":(true|false)/g)).toEqual(['"is_error":true', '"is_error":true', '"is_error":false']);
  });
});

test('commands go on in the folder where the one before ended, and cannot write outside of the project', async () => {
  await withAgent(async ({ say: ask, run, path, server, project, hub }) => {
    server.script(
      say(call('c1', 'bash', { command: 'mkdir -p deep && cd deep' }), call('c2', 'bash', { command: 'pwd' })),
      say(
        call('c3', 'bash', { command: `touch ${hub.home}/../outside` }),
        call('c4', 'write', { path: '../b', content: '' }),
      ),
      say(words('Done.')),
    );
    const { tip } = await run(await ask('go'));
    const results = told((await path(tip)).filter(({ kind }) => kind === 'external'));
    expect(results[1]).toBe(`bash: ${project}/deep\n`);
    expect(results[2]).toMatch(/exit code 1/);
    expect(existsSync(join(hub.home, '..', 'outside'))).toBe(false);
    expect(results[3]).toContain('write: ');
    expect(existsSync(join(project, '..', 'b'))).toBe(false);
  });
});

test('at the level readonly nothing can be written, by a command neither, whatever was granted', async () => {
  await withAgent(async ({ say: ask, run, path, server, project }) => {
    writeFileSync(join(project, 'kept.txt'), 'kept\n');
    server.script(
      say(
        call('c1', 'bash', { command: 'cat kept.txt; echo x > new.txt' }),
        call('c2', 'write', { path: 'new.txt', content: 'x' }),
        call('c3', 'bash', { command: 'rm kept.txt' }),
      ),
      say(words('I cannot.')),
    );
    const { tip } = await run(await ask('write'), {
      change: { model: 'anthropic/claude-sonnet-5', level: 'readonly' },
      grants: { unsandboxed: true, write_paths: [project] },
    });
    const results = told((await path(tip)).filter(({ kind }) => kind === 'external'));
    expect(results[0]).toMatch(/^bash: kept\n.*Read-only file system.*exit code 1/s);
    expect(results[1]).toBe('write: there is no tool "write" (your tools are: read, bash)');
    expect(existsSync(join(project, 'new.txt'))).toBe(false);
    expect(existsSync(join(project, 'kept.txt'))).toBe(true);
    const tools = server.requests[0]?.body.tools;
    expect(JSON.stringify(tools).match(/"name":"\w+"/g)).toEqual(['"name":"read"', '"name":"bash"']);
  });
});

test('a turn is made once for each id, and tells later what it came to', async () => {
  await withAgent(async ({ say: ask, begin, server, client }) => {
    server.script(say(words('Once.')));
    const node = await ask('hello');
    const first = begin(node);
    const outcome = await first.outcome;
    const again = await begin(node, { id: first.id }).outcome;
    expect(again).toEqual({ ...outcome, why: null, usage: null, price_microdollars: null });
    expect(server.requests).toHaveLength(1);
    const { requests } = await client.call('loom.request_list', { turn: first.id });
    expect(requests).toMatchObject([{ outcome: 'ok', node: outcome.tip, provider: 'anthropic', estimate: false }]);
    expect(await client.call('agent.stop', { turn: first.id })).toMatchObject({ stopped: false });
  });
});

test('there is nothing to answer at the root, and a node of another tree is refused', async () => {
  await withAgent(async ({ run, client, tree, server }) => {
    const { id: other } = await client.call('loom.tree_create', {});
    const { node } = await client.call('loom.node_create_text', {
      ...{ tree: other, parent: NodeId.parse(other), role: 'user', blocks: [{ type: 'text', text: 'hi' }] },
    });
    await expect(run(NodeId.parse(tree))).rejects.toThrow('nothing has been said here that a model could answer');
    await expect(run(node.id)).rejects.toMatchObject({ kind: 'not_found' });
    expect(server.requests).toHaveLength(0);
    expect((await client.call('loom.turn_list', { tree })).turns).toEqual([]);
  });
});

test('two calls with one id at once are one turn', async () => {
  await withAgent(async ({ say: ask, begin, server, hub, client, tree, project }) => {
    const other = await hub.connect();
    const first = begin(await ask('hello'));
    const { node } = await first.event('turn_started');
    const again = { id: first.id, tree, node, cwd: project };
    const [one, two, three] = await Promise.all([
      first.outcome,
      client.call('agent.run', again),
      other.call('agent.run', again),
    ]);
    expect([two.tip, three.tip]).toEqual([one.tip, one.tip]);
    expect(server.requests).toHaveLength(1);
  });
});

test('of more calls than a step may hold the first are executed, and the last of them says how many are left out', async () => {
  await withAgent(async ({ say: ask, run, path, server }) => {
    const calls = Array.from({ length: STEP_CALLS_MAX + 5 }, (_, number) => call(`c${number}`, 'nothing', {}));
    server.script(say(...calls), say(words('Enough.')));
    const { state, tip } = await run(await ask('much'));
    expect(state).toBe('done');
    const results = told((await path(tip)).filter(({ kind }) => kind === 'external'));
    expect(results).toHaveLength(STEP_CALLS_MAX);
    expect(results.at(-2)).toContain('there is no tool "nothing"');
    expect(results.at(-1)).toContain('may make 200 calls: neither this one nor the 5 after it were executed');
  });
});
