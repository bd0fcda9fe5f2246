import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from '../../../../hub/client/client.js';
import type { LogLine } from '../../../../hub/protocol/event_log.js';
import { type Node, NodeId, type TreeId } from '../../../../hub/protocol/node.js';
import { hubEnded } from '../../../support/hub.js';
import { say } from '../../../support/model/script.js';
import { KEY } from '../../../support/model_server.js';
import { type TestAgent, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';
import { readEventLog } from './read_event_log.js';

const logOf = ({ hub, tree }: TestAgent) => join(hub.home, 'logs', `${tree}.jsonl`);

/** Every node of a tree as the feed has it. */
async function nodesOf(client: Client, tree: TreeId): Promise<Node[]> {
  const nodes: Node[] = [];
  const enough = new AbortController();
  await client.watch({
    ...{ tree, since: 0, signal: enough.signal },
    onEvent(event) {
      if (event.kind === 'node_created') nodes.push(event.node);
      if (event.kind === 'watch_live') enough.abort();
    },
  });
  return nodes;
}

/** Resolves when the log has come to the newest node of its tree. */
async function settled(agent: TestAgent): Promise<void> {
  const newest = (await nodesOf(agent.hub.client, agent.tree)).at(-1)?.seq;
  await new Promise<void>((resolve) => {
    const look = (): void => {
      const last = existsSync(logOf(agent)) ? readFileSync(logOf(agent), 'utf8').trimEnd().split('\n').at(-1) : '';
      if (last?.startsWith(`{"kind":"node","seq":${newest},`) !== true || !last.endsWith('}')) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(join(agent.hub.home, 'logs'), look);
    look();
  });
}

/** Asserts that the log has every node of the tree once, in the order of the feed. */
async function expectComplete(agent: TestAgent): Promise<LogLine[]> {
  const [header, ...lines] = readEventLog(logOf(agent));
  const nodes = await nodesOf(agent.hub.client, agent.tree);
  expect(header).toMatchObject({ kind: 'header', tree: agent.tree });
  expect(lines.map((line) => line.kind === 'node' && [line.seq, line.id, line.parent_id])).toEqual(
    nodes.map(({ seq, id, parent }) => [seq, id, parent]),
  );
  return lines;
}

test('the log of a tree has every node of it, with calls, results and what the requests used', async () => {
  await withAgent(async (agent) => {
    const note = await agent.say('a note from before any turn');
    agent.server.script(
      say(words('I look.'), call('c1', 'bash', { command: 'echo 数据' }), call('c2', 'read', { path: 'none' })),
      say(words('That is it.')),
    );
    await agent.run(await agent.say('look', note));
    await agent.run(await agent.say('elsewhere'));
    await settled(agent);
    const lines = await expectComplete(agent);
    const payloads = lines.map((line) => (line.kind === 'node' ? line.payload : null));
    expect(payloads.map((payload) => payload?.type)).toEqual([
      ...['root', 'user', 'user', 'assistant', 'tool_result', 'tool_result', 'assistant', 'user', 'assistant'],
    ]);
    expect(payloads[3]).toMatchObject({
      blocks: [{ text: 'I look.' }, { type: 'call', id: 'c1' }, { type: 'call', id: 'c2' }],
    });
    expect(payloads[4]).toMatchObject({ call: { id: 'c1', tool: 'bash' }, blocks: [{ type: 'text' }], exit_code: 0 });
    const used = lines.map((line) => line.kind === 'node' && line.token_usage !== null);
    expect(used).toEqual([false, false, false, true, false, false, true, false, true]);
    const text = readFileSync(logOf(agent), 'utf8');
    expect([text.includes(KEY), statSync(logOf(agent)).mode & 0o777]).toEqual([false, 0o600]);
    expect(statSync(join(agent.hub.home, 'logs')).mode & 0o777).toBe(0o700);
  });
});

test('a killed hub loses nothing and doubles nothing, whatever end the file has', async () => {
  await withAgent(async (agent) => {
    await agent.run(await agent.say('one'));
    await settled(agent);
    const { size } = statSync(logOf(agent));
    for (const spoil of [
      () => truncateSync(logOf(agent), size - 20),
      () => appendFileSync(logOf(agent), '{"kind":"node","seq":'),
      () => truncateSync(logOf(agent), 30),
      () => truncateSync(logOf(agent), 0),
    ]) {
      agent.server.script(say(call('c1', 'bash', { command: 'sleep 60' })));
      const turn = agent.begin(await agent.say('sleep'));
      turn.outcome.catch(() => undefined);
      await turn.event('call_started');
      await agent.hub.kill();
      spoil();
      await turn.outcome;
      await agent.run(await agent.say('and on'));
      await settled(agent);
      await expectComplete(agent);
    }
  });
});

test('a file that is no log of this tree is set aside, as is one of another feed', async () => {
  await withAgent(async (agent) => {
    for (const foreign of ['what is this?\n', `{"kind":"header"}\n{}\n`]) {
      await agent.hub.kill();
      writeFileSync(logOf(agent), foreign);
      await agent.run(await agent.say('hello'));
      await settled(agent);
      await expectComplete(agent);
      expect(readFileSync(`${logOf(agent)}.old`, 'utf8')).toBe(foreign);
    }
    await agent.hub.kill();
    const ours = readFileSync(logOf(agent), 'utf8');
    const elsewhere = ours.replace(/"epoch":"[^"]*"/, '"epoch":"another"');
    writeFileSync(logOf(agent), elsewhere);
    await agent.run(await agent.say('once more'));
    await settled(agent);
    await expectComplete(agent);
    expect(readFileSync(`${logOf(agent)}.old`, 'utf8')).toBe(elsewhere);
  });
});

test('a line that is none is told with its place, and a torn last one is left out', async () => {
  await withAgent(async (agent) => {
    await agent.run(await agent.say('hello'));
    await settled(agent);
    await agent.hub.kill();
    const all = readEventLog(logOf(agent));
    appendFileSync(logOf(agent), '{"kind":"no');
    expect(readEventLog(logOf(agent))).toEqual(all);
    appendFileSync(logOf(agent), 'de"}\n');
    expect(() => readEventLog(logOf(agent))).toThrow(`${logOf(agent)}:${all.length + 1} is no line of a log`);
  });
});

test('the log of a tree that a node owns names the tree of that node', async () => {
  await withAgent(async (agent) => {
    const node = await agent.say('do this');
    const owned = await agent.client.call('loom.tree_create', { id: randomUUID(), owner: { tree: agent.tree, node } });
    const sub: TestAgent = { ...agent, tree: owned.id };
    const message = await agent.client.call('loom.node_create_text', {
      ...{ tree: owned.id, parent: NodeId.parse(owned.id), role: 'user', blocks: [{ type: 'text', text: 'a task' }] },
    });
    const file = join(agent.project, 'sub.json');
    await agent.run(message.node.id, { tree: owned.id, transcript: { file } });
    await settled(sub);
    const [header] = readEventLog(logOf(sub));
    expect(header).toMatchObject({ kind: 'header', tree: owned.id, parent_session_id: agent.tree });
    expect(readFileSync(file, 'utf8')).toContain(`"parent_session_id":"${agent.tree}","is_sub_session":true`);
  });
});

test('a log that cannot be written fails no turn and is told once', async () => {
  await withAgent(async (agent) => {
    const other: TestAgent = { ...agent, tree: (await agent.client.call('loom.tree_create', {})).id };
    expect(existsSync(logOf(other))).toBe(false);
    writeFileSync(join(agent.hub.home, 'logs', 'target'), '');
    symlinkSync(join(agent.hub.home, 'logs', 'target'), logOf(agent));
    agent.server.script(say(call('c1', 'bash', { command: 'true' })), say(words('Done.')));
    expect(await agent.run(await agent.say('hello'))).toMatchObject({ state: 'done' });
    const ended = hubEnded(agent.hub.home);
    await agent.client.call('health.stop', {});
    await ended;
    const log = readFileSync(join(agent.hub.home, 'logs', 'hub.log'), 'utf8');
    expect(log.split('\n').filter((line) => line.includes(`the log of ${agent.tree} could not`))).toHaveLength(1);
    expect(readFileSync(join(agent.hub.home, 'logs', 'target'), 'utf8')).toBe('');
  });
});

test('a purge takes the log of a tree with it', async () => {
  await withAgent(async (agent) => {
    await agent.run(await agent.say('a secret'));
    await settled(agent);
    expect(existsSync(logOf(agent))).toBe(true);
    const { confirm } = await agent.client.call('loom.tree_purge', { tree: agent.tree });
    expect(existsSync(logOf(agent))).toBe(true);
    await agent.client.call('loom.tree_purge', { tree: agent.tree, confirm });
    expect(existsSync(logOf(agent))).toBe(false);
  });
});
