import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { NodeId } from '../../../../hub/protocol/node.js';
import { breaking, fail, say } from '../../../support/model/script.js';
import { KEY } from '../../../support/model_server.js';
import { type TestAgent, withAgent } from '../../../support/turns.js';
import { answering, ask, PLAN } from '../tools/question_calls.js';
import { call, words } from '../turn/turn_calls.js';

const Entry = z.strictObject({
  timestamp: z.iso.datetime(),
  role: z.enum(['user', 'assistant', 'tool_call', 'tool_result']),
  content: z.string(),
  tool_name: z.string().optional(),
  tool_id: z.string().optional(),
});
const Transcript = z.strictObject({
  metadata: z.strictObject({
    session_id: z.string(),
    started_at: z.iso.datetime(),
    provider: z.string(),
    model: z.string(),
    task: z.string(),
    parent_session_id: z.string().nullable(),
    is_sub_session: z.boolean(),
  }),
  entries: z.array(Entry),
});

const readTranscript = (file: string) => Transcript.parse(JSON.parse(readFileSync(file, 'utf8')));
const said = (file: string) => readTranscript(file).entries.map(({ role, content }) => `${role}: ${content}`);
const sessions = ({ hub }: TestAgent) => join(hub.home, 'sessions');

/** The only transcript that the hub has named itself. */
function onlyFile(agent: TestAgent): string {
  const names = readdirSync(sessions(agent));
  expect(names).toEqual([expect.stringMatching(/^\d{4}(-\d\d){5}-[0-9a-f]{8}\.json$/)]);
  return join(sessions(agent), names[0] ?? '');
}

/** Resolves when there is a file. */
function appears(file: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(file), look);
    look();
  });
}

test('a turn is written with its calls and results, and its file is told', async () => {
  await withAgent(async (agent) => {
    agent.server.script(
      say(words('I look.'), call('c1', 'bash', { command: 'echo "naïve 数据"' })),
      say(words('It says so.')),
    );
    const turn = agent.begin(await agent.say('what is there?'));
    const { file } = await turn.event('transcript_opened');
    expect(await turn.outcome).toMatchObject({ state: 'done' });
    expect(file).toBe(onlyFile(agent));
    expect([statSync(file).mode & 0o777, statSync(sessions(agent)).mode & 0o777]).toEqual([0o600, 0o700]);
    const { metadata, entries } = readTranscript(file);
    expect(metadata).toMatchObject({
      ...{ session_id: agent.tree, provider: 'anthropic', model: 'claude-sonnet-5', task: 'what is there?' },
      ...{ parent_session_id: null, is_sub_session: false },
    });
    expect(entries.map(({ timestamp: _, ...entry }) => entry)).toEqual([
      { role: 'user', content: 'what is there?' },
      { role: 'assistant', content: 'I look.' },
      { role: 'tool_call', content: '{"command":"echo \\"naïve 数据\\""}', tool_name: 'bash', tool_id: 'c1' },
      { role: 'tool_result', content: expect.stringContaining('naïve 数据'), tool_name: 'bash', tool_id: 'c1' },
      { role: 'assistant', content: 'It says so.' },
    ]);
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
  });
});

test('it is there while the turn runs, after a failure, and after the hub was killed', async () => {
  await withAgent(async (agent) => {
    agent.server.script(
      say(words('I look.'), call('c1', 'bash', { command: 'true' })),
      breaking('hang', words('Half')),
    );
    const turn = agent.begin(await agent.say('go'));
    const { file } = await turn.event('transcript_opened');
    await agent.server.hanging();
    await turn.event('text_added', ({ text }) => text.includes('Half'));
    await agent.client.call('agent.stop', { turn: turn.id });
    expect((await turn.outcome).state).toBe('interrupted');
    expect(said(file).at(-1)).toBe('assistant: Half\n[interrupted]');
    agent.server.script(fail(401, 'no', { type: 'authentication_error' }));
    const named = join(agent.project, 'failed.json');
    const failed = await agent.run(await agent.say('again'), { transcript: { file: named } });
    expect([failed.state, said(named)]).toEqual(['failed', ['user: again']]);
    agent.server.script(say(call('c2', 'bash', { command: 'sleep 60' })));
    const killed = join(agent.project, 'killed.json');
    const last = agent.begin(await agent.say('sleep'), { transcript: { file: killed } });
    last.outcome.catch(() => undefined);
    await last.event('call_started');
    await appears(killed);
    await agent.hub.kill();
    expect(said(killed)).toEqual(['user: sleep']);
  });
});

test('a file that is given to every turn grows, on whatever branch it goes on, and nothing stands in it twice', async () => {
  await withAgent(async (agent) => {
    const place = { transcript: { file: join(agent.project, 'chat.json') } };
    const answered = async (text: string, parent?: NodeId): Promise<NodeId> => {
      agent.server.script(say(words(`answer to ${text}`)));
      return (await agent.run(await agent.say(text, parent), place)).tip;
    };
    const first = await answered('one');
    await answered('two', first);
    await answered('other two', first);
    agent.server.script(fail(401, 'no', { type: 'authentication_error' }), say(words('answer to three')));
    const three = await agent.say('three', first);
    await agent.run(three, place);
    await agent.run(three, place);
    expect(said(place.transcript.file)).toEqual([
      ...['user: one', 'assistant: answer to one', 'user: two', 'assistant: answer to two'],
      ...['user: other two', 'assistant: answer to other two', 'user: three', 'assistant: answer to three'],
    ]);
    expect(existsSync(sessions(agent))).toBe(false);
  });
});

test('a long file is added to in place, and an entry that was cut off by a kill comes back whole', async () => {
  await withAgent(async (agent) => {
    const file = join(agent.project, 'long.json');
    const long = 'x'.repeat(1_200_000);
    agent.server.script(say(words('noted')), say(words('and this')));
    const { tip } = await agent.run(await agent.say(long), { transcript: { file } });
    const inode = statSync(file).ino;
    const before = readFileSync(file, 'utf8');
    // As a kill in the midst of a write leaves it.
    writeFileSync(file, `${before.slice(0, -4)},\n{"timestamp":"2026`);
    await agent.run(await agent.say('more', tip), { transcript: { file } });
    expect(said(file)).toEqual(
      [`user: ${long}`, 'user: more', 'assistant: and this'].toSpliced(1, 0, 'assistant: noted'),
    );
    expect(statSync(file).ino).toBe(inode);
  });
});

test('what is no transcript of the tree is refused before anything is written', async () => {
  await withAgent(async (agent) => {
    const at = (name: string) => join(agent.project, name);
    writeFileSync(at('notes.txt'), 'mine');
    writeFileSync(at('other.json'), '{"metadata":{},"entries":[]}\n');
    symlinkSync(at('notes.txt'), at('link.json'));
    symlinkSync(at('nowhere'), at('dangling.json'));
    mkdirSync(at('folder'));
    const node = await agent.say('hello');
    for (const name of ['notes.txt', 'other.json', 'link.json', 'dangling.json', 'folder', 'missing/a.json']) {
      await expect(agent.run(node, { transcript: { file: at(name) } })).rejects.toThrow(at(name.split('/a')[0] ?? ''));
    }
    await expect(agent.run(node, { transcript: { folder: at('missing') } })).rejects.toThrow('there is no folder');
    const { turns } = await agent.client.call('loom.turn_list', { tree: agent.tree });
    expect([turns, agent.server.requests]).toEqual([[], []]);
    expect(readFileSync(at('notes.txt'), 'utf8')).toBe('mine');
    await agent.run(node, { transcript: { folder: at('folder') } });
    expect(readdirSync(at('folder'))).toHaveLength(1);
  });
});

test('a folder that cannot be written to fails no turn: one note for the client, one line in the log', async () => {
  await withAgent(async (agent) => {
    mkdirSync(agent.hub.home, { recursive: true });
    writeFileSync(sessions(agent), 'a file is in the way');
    agent.server.script(say(words('I look.'), call('c1', 'bash', { command: 'true' })), say(words('Done.')));
    const turn = agent.begin(await agent.say('go'));
    expect(await turn.outcome).toMatchObject({ state: 'done', text: 'Done.' });
    expect(turn.events.filter(({ kind }) => kind === 'transcript_failed')).toHaveLength(1);
    const log = readFileSync(join(agent.hub.home, 'logs', 'hub.log'), 'utf8');
    expect(log.split('\n').filter((line) => line.includes('a transcript could not be written'))).toHaveLength(1);
  });
});

test('a turn that waited for a person goes on in its file, and nothing stands in it twice', async () => {
  await withAgent(async (agent) => {
    const file = join(agent.project, 'asked.json');
    agent.server.script(
      say(words('I look.'), call('c1', 'bash', { command: 'echo here' })),
      say(ask('c2', 'Which?')),
      say(words('Fine.')),
    );
    const { turn } = await agent.run(await agent.say('go'), { change: PLAN, transcript: { file } });
    await answering(agent, agent.client)({ turn, call: 'c2', answer: 'the left one' });
    expect(said(file)).toEqual([
      ...['user: go', 'assistant: I look.', 'tool_call: {"command":"echo here"}', 'tool_result: here\n'],
      ...['tool_call: {"question":"Which?"}', 'tool_result: the left one', 'assistant: Fine.'],
    ]);
  });
});

test('two turns of a tree at once have a file each, or share one that both name', async () => {
  await withAgent(async (agent) => {
    const nodes = [await agent.say('one'), await agent.say('two'), await agent.say('three')];
    await Promise.all(nodes.map((node) => agent.run(node)));
    expect(readdirSync(sessions(agent)).filter((name) => name.endsWith('.json'))).toHaveLength(3);
    const file = join(agent.project, 'shared.json');
    await Promise.all(nodes.map((node) => agent.run(node, { transcript: { file } })));
    expect(said(file).toSorted()).toEqual([
      ...['assistant: Hello.', 'assistant: Hello.', 'assistant: Hello.'],
      ...['user: one', 'user: three', 'user: two'],
    ]);
  });
});
