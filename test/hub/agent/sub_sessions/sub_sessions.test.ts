import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fail, say } from '../../../support/model/script.js';
import { KEY } from '../../../support/model_server.js';
import { accessTo, told, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';
import { newestTurn, ownedBy, printed, results, resultsOf, spawn } from './sub_session_turns.js';

const TASK = 'Count the lines of notes.txt.';

test('a sub-session does a task in a tree of its own, and its answer is the result of the call', async () => {
  await withAgent(async (agent) => {
    const { say: ask, begin, path, server, client, tree, project } = agent;
    writeFileSync(join(project, 'notes.txt'), 'one\ntwo\n');
    server.script(
      say(words('I let it be done.'), spawn('c1', { task: TASK })),
      say(words('I count.'), call('s1', 'bash', { command: 'wc -l < notes.txt' })),
      say(words('There are 2 lines.')),
      say(words('It has 2 lines.')),
    );
    const turn = begin(await ask('how long is notes.txt?'));
    const outcome = await turn.outcome;
    // What it used is used by whoever it works for.
    expect(outcome).toMatchObject({ state: 'done', text: 'It has 2 lines.', usage: { tokens_out: 4 * 42 } });
    const [owned, ...others] = await ownedBy(agent);
    expect(others).toEqual([]);
    const [result] = await results(agent, outcome.tip);
    expect(owned).toMatchObject({ owner: { tree, node: result?.id }, project, title: TASK });
    expect(result?.blocks).toEqual([{ type: 'text', text: 'There are 2 lines.' }]);
    const started = turn.events.find(({ kind }) => kind === 'session_started');
    expect(started).toMatchObject({ call: 'c1', id: result?.id, session: owned?.id, task: TASK, attachable: false });
    const run = await newestTurn(agent, owned?.id ?? tree);
    expect(result?.external).toMatchObject({
      ...{ exit_code: 0, call: { tool: 'spawn_session', input: { task: TASK }, id: 'c1' } },
      handle: {
        ...{ source: 'session', identifier: owned?.id },
        metadata: { turn: run.id, tip: run.tip, state: 'done', model: 'anthropic/claude-sonnet-5', task: TASK },
      },
    });
    expect(printed(turn, 'c1')).toBe('I count.\n[bash] wc -l < notes.txt\nThere are 2 lines.\n');
    expect(told(await path(run.tip))).toEqual([
      'root: ',
      `user: ${TASK}`,
      'assistant: I count.|<call>',
      'bash: 2\n',
      'assistant: There are 2 lines.',
    ]);
    expect((await client.call('loom.tree_list', {})).trees.map(({ id }) => id)).toEqual([tree]);
    expect((await client.call('loom.fsck', {})).problems).toEqual([]);
  });
});

test('several run at once, the results stand in the order of the calls, and reads run beside them', async () => {
  await withAgent(async (agent) => {
    const { project } = agent;
    writeFileSync(join(project, 'a.txt'), 'seen\n');
    const meet = (own: string, other: string) =>
      `demo: run touch ${own}; until [ -e ${other} ]; do sleep 0.02; done; echo ${own}`;
    // Each ends only when the other has begun.
    const { texts } = await resultsOf(agent, [
      spawn('c1', { task: meet('first', 'second'), provider: 'demo' }),
      call('c2', 'read', { path: 'a.txt' }),
      spawn('c3', { task: meet('second', 'first'), provider: 'demo/demo' }),
    ]);
    expect(texts).toEqual([
      expect.stringContaining('\nfirst\n'),
      expect.stringContaining('seen'),
      expect.stringContaining('\nsecond\n'),
    ]);
  });
});

test('no more than eight of one turn run at once; the others wait until one has ended', async () => {
  await withAgent(async (agent) => {
    const { say: ask, begin, client, server, project } = agent;
    const task = `demo: run until [ -e ${project}/go ]; do sleep 0.02; done`;
    const calls = Array.from({ length: 10 }, (_, place) => spawn(`c${place}`, { task, provider: 'demo' }));
    server.script(say(...calls), say(words('Done.')));
    const turn = begin(await ask('ten of them'));
    const begun = () => turn.events.filter(({ kind }) => kind === 'session_started').length;
    await turn.event('session_started', () => begun() === 8);
    const { turns } = await client.call('agent.status', {});
    expect(turns).toHaveLength(9);
    const works = { parent: { turn: turn.id, call: expect.stringMatching(/^c\d$/) }, task: task.slice(0, 79) };
    expect(turns.filter(({ parent }) => parent !== null).map(({ parent, task: of }) => ({ parent, task: of }))).toEqual(
      Array.from({ length: 8 }, () => ({ ...works, task: expect.stringContaining('demo: run until') })),
    );
    writeFileSync(join(project, 'go'), '');
    const { tip } = await turn.outcome;
    expect(begun()).toBe(10);
    expect((await results(agent, tip)).map(({ external }) => external.exit_code)).toEqual(calls.map(() => 0));
    expect((await client.call('agent.status', {})).turns).toEqual([]);
  });
});

test.each(['openai', 'openai/gpt-5.6-sol', 'ollama/qwen3:8b', 'demo'])(
  'a sub-session may be of another provider, whose access the caller gave: %s',
  async (provider) => {
    await withAgent(async (agent) => {
      const { server, say: ask, run, client, project } = agent;
      writeFileSync(join(project, 'main.py'), '');
      const access = { ...accessTo(server), ollama: { base_url: server.origin, key: KEY } };
      const own = provider === 'demo' ? [] : [say(call('s1', 'bash', { command: 'ls *.py' })), say(words('main.py'))];
      server.script(say(spawn('c1', { task: 'list the python files', provider })), ...own, say(words('There.')));
      const { tip } = await run(await ask('look'), { access });
      const [result] = await results(agent, tip);
      expect(told(result === undefined ? [] : [result])[0]).toContain('main.py');
      const [owned] = await ownedBy(agent);
      const { requests } = await client.call('loom.request_list', { tree: owned?.id ?? null });
      expect(requests.map(({ provider: name }) => name)).toEqual(Array(2).fill(provider.split('/')[0]));
    });
  },
);

test('sub-sessions in copies of the project change the same file and do not meet; what one has made is taken from its copy', async () => {
  await withAgent(async (agent) => {
    const { project, client } = agent;
    const task = (text: string) => ({ task: `demo: run echo ${text} > a.txt`, provider: 'demo', own: true });
    const { texts } = await resultsOf(agent, [spawn('c1', task('one')), spawn('c2', task('two'))]);
    expect(existsSync(join(project, 'a.txt'))).toBe(false);
    const owned = await ownedBy(agent);
    for (const { id } of owned) expect(texts.join('\n')).toContain(`cognition pick 1 ${id}`);
    const { copies } = await client.call('files.copy_list', {});
    expect(copies.map(({ label, tree }) => `${label} ${tree}`).sort()).toEqual(
      owned.map(({ id }) => `own ${id}`).sort(),
    );
    const [copy] = copies;
    if (copy === undefined) throw new Error('there is no copy');
    await client.call('files.take', { tree: copy.tree, node: copy.node, of: { kind: 'copy', turn: copy.turn } });
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toMatch(/^(one|two)\n$/);
  });
});

test('what cannot be begun is told to the model in one line, and nothing is left of it', async () => {
  await withAgent(async (agent) => {
    const { texts, nodes, outcome } = await resultsOf(
      agent,
      [
        spawn('c1', {}),
        spawn('c2', { task: '' }),
        spawn('c3', { task: 'x', provider: 'nobody/nothing' }),
        spawn('c4', { task: 'x', provider: 'openai' }),
        spawn('c5', { task: 'x', provider: 'ollama' }),
        spawn('c6', { task: 'x', sandbox: { network: true } }),
        spawn('c7', { task: 'x', sandbox: { extra_write_paths: ['inside', '/etc'] } }),
        spawn('c8', { task: 'x', output_file: '/etc/transcript.json' }),
        spawn('c9', { task: 'x', output_file: '.cognition/transcript.json' }),
        spawn('c10', { task: 'x', sandbox: 'none' }),
      ],
      { access: { anthropic: accessTo(agent.server)?.anthropic ?? {} } },
    );
    expect(outcome).toMatchObject({ state: 'done' });
    expect(texts).toEqual([
      expect.stringMatching(/^spawn_session was not run: task: /),
      expect.stringMatching(/^spawn_session was not run: task: /),
      expect.stringMatching(/^no model is called nobody\/nothing/),
      'there is no key for openai (set OPENAI_API_KEY, or choose another model: --model demo (which the person may say) needs no key)',
      'spawn_session was not run: ollama has no usual model (name one: ollama/<model>)',
      'spawn_session was not run: you have no network, so a sub-session cannot have it either',
      'spawn_session was not run: /etc is not among what you may write, so a sub-session cannot either',
      expect.stringContaining('/etc/transcript.json'),
      expect.stringContaining('.cognition/transcript.json'),
      expect.stringMatching(/^spawn_session was not run: sandbox: /),
    ]);
    expect(nodes.map(({ external }) => [external.exit_code, external.handle.source])).toEqual(
      nodes.map(() => [1, 'refused']),
    );
    expect(await ownedBy(agent)).toEqual([]);
    expect(existsSync('/etc/transcript.json')).toBe(false);
  });
});

test('one that fails is an error result with what it had said, and the turn goes on', async () => {
  await withAgent(async (agent) => {
    const { server, say: ask, run } = agent;
    server.script(
      say(spawn('c1', { task: 'a' })),
      say(words('I begin.'), call('s1', 'bash', { command: 'echo x' })),
      fail(401, 'invalid x-api-key', { type: 'authentication_error' }),
      say(spawn('c2', { task: 'b' })),
      { ...say(words('So long')), end: 'max_tokens' },
      say(spawn('c3', { task: 'demo: end empty', provider: 'demo' })),
      say(words('Never mind.')),
    );
    const outcome = await run(await ask('try'));
    expect(outcome).toMatchObject({ state: 'done', text: 'Never mind.' });
    const nodes = await results(agent, outcome.tip);
    const texts = told(nodes).map((text) => text.replace('spawn_session: ', ''));
    expect(texts[0]).toMatch(/^\[The sub-session failed: .*; what it said last follows\]\n\nI begin\.$/);
    expect(texts[1]).toBe(
      '[The sub-session was stopped: its answer was longer than the model may write at once; what it said last follows]\n\nSo long',
    );
    expect(texts[2]).toBe('[The sub-session said nothing]');
    expect(nodes.map(({ external }) => external.exit_code)).toEqual([1, 1, 1]);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages).match(/"is_error":true/g)).toHaveLength(3);
  });
});
