import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keptIn, sentDepth, sentPath } from '../../../../hub/base/path/sent_path.js';
import type { Block, Node, NodeId } from '../../../../hub/protocol/node.js';
import { say } from '../../../support/model/script.js';
import { accessTo, type TestAgent, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';

const SUMMARY = '## Asked\nA bean counter.';
const LONG = 'Words and words. '.repeat(2_500);

/** What each message of the last request says, in a few characters. */
function lastSent({ server }: TestAgent): string[] {
  const { messages } = server.requests.at(-1)?.body ?? {};
  const marks = /,"cache_control":\{[^}]*\}/g;
  return (Array.isArray(messages) ? messages : []).map((message) => JSON.stringify(message).replace(marks, ''));
}

/** A long conversation with a short end: two questions, the second with a call. */
async function talk(agent: TestAgent): Promise<NodeId> {
  const { server, run, say: ask } = agent;
  server.script(say(words('Read.')));
  const { tip: read } = await run(await ask(`Read this. ${LONG}`));
  server.script(say(words('I look.'), call('c1', 'bash', { command: 'echo 42' })), say(words('There are 42.')));
  return (await run(await ask('How many beans?', read))).tip;
}

test('the newest steps stay word for word behind a summary, and what is before them is not sent', async () => {
  await withAgent(async (agent) => {
    const { server, begin, say: ask, path, client } = agent;
    const tip = await talk(agent);
    server.script(say(words(SUMMARY)), say(words('Green.')));
    const turn = begin(await ask('Which colour?', tip), { window: 12_000 });
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({ state: 'done', text: 'Green.' });
    const sent = lastSent(agent);
    expect(sent[0]).toContain('A bean counter.');
    expect(sent.join()).not.toContain('Words and words');
    expect(sent.slice(1).map((message) => /Read|How many|I look|"42|There are|Which/.exec(message)?.[0])).toEqual([
      ...['Read', 'How many', 'I look', '"42', 'There are', 'Which'],
    ]);
    // What stays is not carried in the summary as well.
    expect(sent[0]).not.toContain('Which colour?');
    const nodes = await path(outcome.tip);
    const summary = nodes.at(-2);
    expect(summary?.blocks[0]).toEqual({ type: 'kept', nodes: 6 });
    // The same is read from the nodes, and a program is told the same.
    const { messages } = await client.call('context.model', { node: outcome.tip });
    expect(messages).toHaveLength(sent.length + 1);
    expect(
      sentPath(nodes)
        .slice(0, 7)
        .map(({ id }) => id),
    ).toEqual([summary, ...nodes.slice(-8, -2)].map((node) => node?.id));
    expect(nodes.reduce(sentDepth, 0)).toBe(nodes.at(-8)?.depth);
    expect(await client.call('loom.fsck', { tree: agent.tree })).toMatchObject({ problems: [] });
  });
});

test('what follows a summary that keeps something is cached, estimated anew, and summarised again when it is long', async () => {
  await withAgent(async (agent) => {
    const { server, run, begin, say: ask, client } = agent;
    const tip = await talk(agent);
    server.script(say(words(SUMMARY)), say(words('Green.')));
    const first = await run(await ask('Which colour?', tip), { window: 12_000 });
    const { tokens } = await client.call('agent.estimate', { node: first.tip });
    expect(tokens).toBeLessThan(6_000);
    server.script(say(words('Round.')));
    const before = lastSent(agent);
    const second = await run(await ask('Which shape?', first.tip), { window: 12_000 });
    expect(lastSent(agent).slice(1, before.length - 1)).toEqual(before.slice(1, -1));
    server.script(say(words('Read again.')), say(words('## Asked\nMore beans.')), say(words('Yes.')));
    const { tip: long } = await run(await ask(`Read that, too. ${LONG}`, second.tip), { window: 24_000 });
    const turn = begin(await ask('Still there?', long), { window: 12_000 });
    expect(await turn.outcome).toMatchObject({ state: 'done', text: 'Yes.' });
    const sent = lastSent(agent);
    expect(sent[0]).toContain('More beans.');
    expect(sent.join()).not.toContain('A bean counter.');
    expect(sent.at(-1)).toContain('Still there?');
    expect(turn.events.filter(({ kind }) => kind === 'compaction_started')).toHaveLength(1);
  });
});

test('one goes on right below a summary that keeps an answer', async () => {
  await withAgent(async (agent) => {
    const { server, run, client, tree, path } = agent;
    const tip = await talk(agent);
    server.script(say(words(SUMMARY)));
    const compacted = await client.call('agent.compact', { tree, node: tip, access: accessTo(server) });
    expect(compacted.state).toBe('done');
    server.script(say(words('More.')));
    const after = await run(compacted.tip);
    const nodes = await path(after.tip);
    expect(nodes.slice(-3).map(({ role }) => role)).toEqual(['summary', 'user', 'assistant']);
    expect(nodes.at(-2)?.parent).toBe(compacted.tip);
  });
});

test('a summary in the middle of a turn keeps whole steps and carries the open request', async () => {
  await withAgent(async (agent) => {
    const { server, begin, say: ask } = agent;
    server.script(
      say(call('c1', 'bash', { command: 'seq 1 7000' })),
      say(call('c2', 'bash', { command: 'echo small' })),
      say(words(SUMMARY)),
      say(words('Done.')),
    );
    const turn = begin(await ask('Count to the end.'), { window: 12_000 });
    expect(await turn.outcome).toMatchObject({ state: 'done', text: 'Done.' });
    const sent = lastSent(agent);
    expect(sent[0]).toContain('Count to the end.');
    const calls = sent.join().match(/"tool_use"/g) ?? [];
    const results = sent.join().match(/"tool_result"/g) ?? [];
    expect(results).toHaveLength(calls.length);
  });
});

test('a copy of the path brings along what a summary keeps', async () => {
  await withAgent(async (agent) => {
    const { server, run, say: ask, client, tree } = agent;
    const tip = await talk(agent);
    server.script(say(words(SUMMARY)), say(words('Green.')));
    const { tip: last } = await run(await ask('Which colour?', tip), { window: 12_000 });
    const before = await client.call('context.model', { node: last });
    const fork = await client.call('loom.tree_fork', { tree, node: last });
    const copied = fork.forked?.node ?? last;
    expect(copied).not.toBe(last);
    expect(await client.call('context.model', { node: copied })).toEqual(before);
  });
});

/** A path of steps, each of an answer and its results, with summaries that say they keep anything. */
const anyPath = fc.array(
  fc.oneof(
    fc.nat(3).map((results) => ({ results })),
    fc.nat(12).map((kept) => ({ kept })),
  ),
  {
    maxLength: 12,
  },
);

test('whatever a summary says that it keeps, no step is cut, nothing comes twice, and the same comes out again', () => {
  fc.assert(
    fc.property(anyPath, (parts) => {
      const path = nodesOf(parts);
      const sent = sentPath(path);
      expect(sentPath(sent)).toEqual(sent);
      expect(new Set(sent).size).toBe(sent.length);
      expect(sent.filter(({ role }) => role === 'summary').length).toBeLessThanOrEqual(1);
      for (const [index, { step }] of sent.entries()) {
        if (step === null || step.index === 0) continue;
        expect(sent[index - 1]?.step).toMatchObject({ id: step.id, index: step.index - 1 });
      }
      expect(keptIn(sent)).toBe(
        sent[0]?.role === 'summary' ? sent.filter(({ seq }) => seq < (sent[0]?.seq ?? 0)).length : 0,
      );
    }),
  );
});

function nodesOf(parts: readonly ({ results: number } | { kept: number })[]): Node[] {
  const nodes: Node[] = [];
  const add = (more: Pick<Node, 'role' | 'step' | 'blocks'>): void => {
    const plain = { id: randomUUID(), seq: nodes.length + 1, depth: nodes.length + 1, kind: 'text' };
    nodes.push({ ...plain, ...more } as Node); // what the order of a path depends on
  };
  for (const part of parts) {
    const blocks: Block[] = [];
    if ('kept' in part) {
      if (part.kept > 0) blocks.push({ type: 'kept', nodes: part.kept });
      add({ role: 'summary', step: null, blocks });
      continue;
    }
    const id = randomUUID() as NodeId; // as above
    const size = part.results + 1;
    for (let index = 0; index < size; index += 1)
      add({ role: index === 0 ? 'assistant' : 'tool', step: size === 1 ? null : { id, index, size }, blocks });
  }
  return nodes;
}
