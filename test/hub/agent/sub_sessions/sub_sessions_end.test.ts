import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TreeId } from '../../../../hub/protocol/node.js';
import { connectTo } from '../../../support/hub.js';
import { breaking, say } from '../../../support/model/script.js';
import { told, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';
import { newestTurn, ownedBy, printed, results, resultsOf, spawn } from './sub_session_turns.js';

test('who stops a turn stops its sub-sessions, and what they said is kept', async () => {
  await withAgent(async (agent) => {
    const { say: ask, begin, path, client, server, tree } = agent;
    const task = 'demo: run echo begun; sleep 600';
    server.script(
      say(spawn('c1', { task: 'a' }), spawn('c2', { task, provider: 'demo' })),
      breaking('hang', words('So far')),
    );
    const turn = begin(await ask('wait'));
    await turn.event('call_output', () => printed(turn, 'c1') === 'So far');
    await turn.event('call_output', ({ call: of }) => of === 'c2');
    const startedAt = performance.now();
    const { outcome } = await client.call('agent.stop', { turn: turn.id });
    console.log(`a turn with two sub-sessions was stopped in ${(performance.now() - startedAt).toFixed(0)} ms`);
    expect(outcome).toMatchObject({ state: 'interrupted', why: 'asked' });
    const [first] = await results(agent, outcome.tip);
    expect(first?.blocks).toEqual([
      expect.objectContaining({
        text: '[The sub-session was interrupted; what it said last follows]\n\nSo far\n[interrupted]',
      }),
    ]);
    const session = TreeId.parse(first?.external.handle.identifier);
    const run = await newestTurn(agent, session);
    expect(run.state).toBe('interrupted');
    expect(told(await path(run.tip)).at(-1)).toBe('assistant: So far|\n[interrupted]');
    await expect.poll(async () => (await client.call('agent.status', {})).turns).toEqual([]);
    expect((await client.call('bash.list', {})).commands).toEqual([]);
    expect((await ownedBy(agent)).map(({ owner }) => owner?.tree)).toEqual([tree, tree]);
  });
});

test('a sub-session that is stopped alone is a result that says so', async () => {
  await withAgent(async (agent) => {
    const { say: ask, begin, client, server } = agent;
    server.script(say(spawn('c1', { task: 'a' })), breaking('hang', words('So far')), say(words('Then not.')));
    const turn = begin(await ask('wait'));
    const { session_turn } = await turn.event('session_started');
    await turn.event('call_output');
    await client.call('agent.stop', { turn: session_turn });
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({ state: 'done', text: 'Then not.' });
    expect(told(await results(agent, outcome.tip))[0]).toMatch(/^spawn_session: \[The sub-session was interrupted; /);
  });
});

test('when the hub dies a call for a sub-session is interrupted, and both trees can be gone on in', async () => {
  await withAgent(async (agent) => {
    const { say: ask, begin, hub, server } = agent;
    server.script(say(spawn('c1', { task: 'a' })), breaking('hang', words('So far')));
    const turn = begin(await ask('wait'));
    const ended = turn.outcome.catch(() => null);
    const { session, id } = await turn.event('session_started');
    await server.hanging();
    await hub.kill();
    await ended;
    const client = await connectTo(hub.home);
    try {
      const { turn: before } = await client.call('loom.turn_get', { turn: turn.id });
      expect(before.state).toBe('interrupted');
      const { node } = await client.call('loom.node_get', { node: id });
      expect(node).toMatchObject({ external: { handle: { source: 'interrupted' } } });
      const found = { ...agent, client };
      const [owned] = await ownedBy(found);
      expect(owned).toMatchObject({ id: session, owner: { node: id } });
      const run = await newestTurn(found, session);
      expect(run.state).toBe('interrupted');
      expect((await client.call('agent.status', {})).turns).toEqual([]);
      expect((await client.call('loom.fsck', {})).problems).toEqual([]);
    } finally {
      await client.close();
    }
  });
});

test('what a sub-session said is found by its handle, and a fresh look finds what it has said since', async () => {
  await withAgent(async (agent) => {
    const { client, server, run, path } = agent;
    const { nodes } = await resultsOf(agent, [spawn('c1', { task: 'demo: say Blue.', provider: 'demo' })]);
    const [node] = nodes;
    if (node === undefined) throw new Error('there is no result');
    const resolved = { text: 'Blue.', total_bytes: 5, left_out_bytes: 0, placeholder: null, changed: null };
    expect(await client.call('context.resolve', { node: node.id })).toEqual(resolved);
    expect(await client.call('context.resolve', { node: node.id, fresh: true })).toEqual(resolved);
    const tree = TreeId.parse(node.external.handle.identifier);
    const { tip } = await newestTurn(agent, tree);
    const { node: question } = await client.call('loom.node_create_text', {
      ...{ tree, parent: tip, role: 'user', blocks: [{ type: 'text', text: 'are you sure?' }] },
    });
    server.script(say(words('Green, then.')));
    const later = await run(question.id, { tree });
    expect(told(await path(later.tip)).slice(-3)).toEqual([
      'assistant: Blue.',
      'user: are you sure?',
      'assistant: Green, then.',
    ]);
    expect(await client.call('context.resolve', { node: node.id })).toEqual(resolved);
    expect(await client.call('context.resolve', { node: node.id, fresh: true })).toMatchObject({
      ...{ text: 'Green, then.', changed: 'the sub-session has gone on since: this is its newest answer' },
    });
    await client.call('loom.tree_purge', { tree, confirm: (await client.call('loom.tree_purge', { tree })).confirm });
    expect(await client.call('context.resolve', { node: node.id })).toEqual(resolved);
    expect(await client.call('context.resolve', { node: node.id, fresh: true })).toMatchObject({
      ...{ text: 'Blue.', placeholder: 'the sub-session is no longer here' },
    });
  });
});

test('a long answer is shown by its ends, and can be read on', async () => {
  await withAgent(async (agent) => {
    const { server, say: ask, run } = agent;
    const long = Array.from({ length: 5_000 }, (_, line) => `line ${line} ……`).join('\n');
    server.script(say(spawn('c1', { task: 'a' })), say(words(long)), say(words('So much.')));
    const first = await run(await ask('tell'));
    const [node] = await results(agent, first.tip);
    const [shown] = told(node === undefined ? [] : [node]);
    expect(Buffer.byteLength(shown ?? '')).toBeLessThan(31_000);
    expect(shown).toContain(`[to read all of it: read output:${node?.id}]`);
    expect(shown).toMatch(/line 0 …….*bytes left out.*line 4999 ……/s);
    server.script(say(call('c2', 'read', { path: `output:${node?.id}`, offset: 2_500, limit: 1 })), say(words('Yes.')));
    const second = await run(await ask('go on', first.tip));
    expect(told(await results(agent, second.tip)).at(-1)).toContain('line 2499 ……');
  });
});

test('a transcript goes where the model may write, and through no link to anywhere else', async () => {
  await withAgent(async (agent) => {
    const { project, hub } = agent;
    const outside = join(hub.home, '..', 'outside');
    mkdirSync(outside);
    writeFileSync(join(project, 'work.txt'), 'somebody’s');
    symlinkSync(outside, join(project, 'link'));
    const task = 'demo: say Blue.';
    const { texts } = await resultsOf(agent, [
      spawn('c1', { task, provider: 'demo', output_file: 'deep/one.json', attachable: true }),
      spawn('c2', { task, provider: 'demo', output_file: 'link/two.json' }),
      // Its folder becomes a link while it runs.
      spawn('c3', {
        task: `demo: run mv place old; ln -s ${outside} place\ndemo: then\n${task}`,
        ...{ provider: 'demo', output_file: 'place/three.json' },
      }),
      spawn('c4', { task, provider: 'demo', output_file: 'work.txt' }),
    ]);
    expect(texts[3]).toMatch(/^spawn_session was not run: work\.txt is there already /);
    expect(readFileSync(join(project, 'work.txt'), 'utf8')).toBe('somebody’s');
    expect(texts[0]).toMatch(/^Blue\.\n\n\[A person opens this sub-session with: cognition chat [0-9a-f-]{36}\]$/);
    expect(texts[1]).toContain('link/two.json');
    expect(texts[1]).not.toContain('Blue');
    expect(texts[2]).toMatch(/^Blue\.\n\n\[its transcript could not be written to place\/three\.json: /);
    expect(['two.json', 'three.json'].filter((name) => existsSync(join(outside, name)))).toEqual([]);
    const written = JSON.parse(readFileSync(join(project, 'deep', 'one.json'), 'utf8'));
    expect(written).toMatchObject({ metadata: { task, is_sub_session: true, parent_session_id: agent.tree } });
    expect(written.entries.at(-1)).toMatchObject({ role: 'assistant', content: 'Blue.' });
  });
});

test('sub-sessions share what is left of the limits of their turn', async () => {
  await withAgent(async (agent) => {
    const { say: ask, run, server } = agent;
    // Two answers for the turn itself, so one is left for each.
    server.script(say(spawn('c1', { task: 'a' })), say(call('s1', 'bash', { command: 'ls' })), say(words('Well.')));
    const first = await run(await ask('try'), { limits: { iterations: 2 } });
    expect(first).toMatchObject({ state: 'done' });
    expect(told(await results(agent, first.tip))[0]).toContain('it has given as many answers as it may');
    server.script(say(spawn('c2', { task: 'a' })));
    const last = await run(await ask('try'), { limits: { iterations: 1 } });
    expect(last).toMatchObject({ state: 'stopped', why: 'iterations' });
    expect(told(await results(agent, last.tip))[0]).toContain('this turn has no answers left');
    // What a sub-session used counts for the turn: it has none for a request of its own.
    const { usage: one } = await run(await ask('try'));
    const tokens = Object.values(one ?? {}).reduce((sum, some) => sum + some, 10);
    server.script(say(spawn('c3', { task: 'a' })), say(words('Blue.')), say(words('Never said.')));
    const { state, why, usage, tip } = await run(await ask('try'), { limits: { tokens } });
    expect({ state, why }).toEqual({ state: 'stopped', why: 'tokens' });
    expect(usage?.tokens_out).toBe(2 * 42);
    expect((await results(agent, tip)).at(-1)?.blocks).toEqual([{ type: 'text', text: 'Blue.' }]);
  });
});

test('a sub-session can be watched by itself, and is told of with whom it works for', async () => {
  await withAgent(async (agent) => {
    const { say: ask, begin, client, server, project } = agent;
    const task = `demo: run echo one; until [ -e ${project}/go ]; do sleep 0.02; done`;
    server.script(say(spawn('c1', { task, provider: 'demo', attachable: true })), say(words('Done.')));
    const turn = begin(await ask('wait'));
    const { session, session_turn, attachable } = await turn.event('session_started');
    expect(attachable).toBe(true);
    const { turns } = await client.call('agent.status', { tree: session });
    expect(turns).toMatchObject([{ turn: session_turn, level: 'minimal', parent: { turn: turn.id, call: 'c1' } }]);
    const kinds: string[] = [];
    const followed = client.stream(
      'agent.follow',
      { turn: session_turn },
      { onEvent: ({ kind }) => (kinds.push(kind) === 1 ? writeFileSync(join(project, 'go'), '') : undefined) },
    );
    expect((await followed).outcome).toMatchObject({ state: 'done', tree: session });
    expect(['turn_started', 'turn_snapshot']).toContain(kinds[0]);
    expect(kinds.at(-1)).toBe('turn_ended');
    expect(await turn.outcome).toMatchObject({ state: 'done' });
  });
});

test('a sub-session whose tree is deleted meanwhile has failed, and the turn goes on', async () => {
  await withAgent(async (agent) => {
    const { say: ask, begin, client, server, project } = agent;
    const task = `demo: run until [ -e ${project}/go ]; do sleep 0.02; done`;
    server.script(say(spawn('c1', { task, provider: 'demo' })), say(words('So be it.')));
    const turn = begin(await ask('wait'));
    const { session: tree } = await turn.event('session_started');
    await turn.event('call_output');
    const { confirm } = await client.call('loom.tree_purge', { tree });
    await client.call('loom.tree_purge', { tree, confirm });
    writeFileSync(join(project, 'go'), '');
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({ state: 'done', text: 'So be it.' });
    expect(told(await results(agent, outcome.tip))[0]).toMatch(/^spawn_session: \[The sub-session failed: /);
    expect((await client.call('agent.status', {})).turns).toEqual([]);
  });
});
