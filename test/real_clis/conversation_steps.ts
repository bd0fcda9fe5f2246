import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { detach, neverFails } from '../../hub/base/detach.js';
import type { NodeId } from '../../hub/protocol/node.js';
import { processesWith, until } from '../tools/bash/processes.js';
import type { AgentWorld, Answered } from './agent_world.js';
import { branchOfSixTurns } from './seeded_branch.js';
import type { SentTurn } from './sent_turns.js';

/** What is tried of an agent, in this order; each may use what the ones before have left. */
export type Step = readonly [name: string, run: (world: AgentWorld, past: Past) => Promise<void>];

/** What the steps leave for those after them. */
export interface Past {
  tips: Map<string, NodeId>;
  first: Answered | null;
}

export const CONVERSATION_STEPS: readonly Step[] = [
  ['is listed with its version', listed],
  ['new', begin],
  ['say', say],
  ['a call changes the project, with its input and its end', call],
  ['resume after its process has ended', resume],
  ['fork at an earlier answer', forkAt],
  ['seed: a branch of six turns is told as true turns, with calls', seed],
  ['level readonly changes nothing', readonly],
  ['level ask: a call waits with its command, and is done or not as it is answered', asking],
  ['a refusal of its model is told as one', refusal],
  ['cancel, and the next message is heard', cancel],
  ['kill: no process is left, and the exchange says what happened', kill],
];

async function listed({ client, environment, program }: AgentWorld): Promise<void> {
  const { agents } = await (await client()).call('outside.list', { environment });
  const found = agents.find(({ name }) => name === program.name);
  assert.ok(found?.program, 'it is not found');
  assert.match(found.version ?? 'none', /^\d+\.\d+/);
}

async function begin(world: AgentWorld, past: Past): Promise<void> {
  const answer = await world.ask([await world.newTree(), 'say <<one>>']);
  assert.deepEqual(outcome(answer), ['heard one', null]);
  past.first = answer;
  past.tips.set('one', answer.tip);
}

async function say(world: AgentWorld, past: Past): Promise<void> {
  const answer = await world.ask([tipOf(past, 'one'), 'say <<two>>']);
  assert.deepEqual(outcome(answer), ['heard one two', null]);
  assert.equal(answer.session, past.first?.session);
  assert.deepEqual(said(world), ['one', 'heard one', 'two']);
  past.tips.set('two', answer.tip);
}

async function call(world: AgentWorld): Promise<void> {
  const { events, ...answer } = await world.ask([await world.newTree(), '[[run:touch made.txt && echo it is done]]']);
  assert.equal(answer.fault, null);
  assert.ok(existsSync(join(world.project, 'made.txt')), 'the file is not there');
  const started = events.find(({ kind }) => kind === 'call_started');
  const ended = events.find(({ kind }) => kind === 'call_ended');
  assert.match(JSON.stringify(started), /touch made\.txt/);
  assert.equal(ended?.kind === 'call_ended' && ended.failed, false);
  const used = events.filter(({ kind }) => kind === 'used');
  assert.ok(used.length > 0, 'it tells no tokens');
}

async function resume(world: AgentWorld, past: Past): Promise<void> {
  await endProcesses(world);
  const answer = await world.ask([tipOf(past, 'two'), 'say <<three>>']);
  assert.deepEqual(outcome(answer), ['heard one two three', null]);
  assert.deepEqual(said(world), ['one', 'heard one', 'two', 'heard one two', 'three']);
  past.tips.set('three', answer.tip);
}

async function forkAt(world: AgentWorld, past: Past): Promise<void> {
  const answer = await world.ask([tipOf(past, 'one'), 'say <<four>>']);
  assert.deepEqual(outcome(answer), ['heard one four', null]);
  assert.deepEqual(said(world), ['one', 'heard one', 'four']);
  const first = await world.ask([tipOf(past, 'three'), 'say <<five>>']);
  assert.deepEqual(outcome(first), ['heard one two three five', null]);
}

async function seed(world: AgentWorld): Promise<void> {
  const { tip, turns } = await branchOfSixTurns(world);
  const answer = await world.ask([tip, 'say <<seven>>']);
  assert.equal(answer.fault, null);
  assert.deepEqual(shapes(world), [...turns, 'user: seven']);
}

async function readonly(world: AgentWorld): Promise<void> {
  const policy = { kind: 'contained' as const, network: false, writable: [], readable: [world.project] };
  const root = await world.newTree();
  const answer = await world.ask([root, '[[run:touch never.txt; echo tried]]'], { policy, level: 'readonly' });
  assert.equal(answer.fault, null);
  assert.ok(!existsSync(join(world.project, 'never.txt')), 'the file was made');
}

/** pi asks nothing, and is refused there. */
async function asking(world: AgentWorld): Promise<void> {
  if (world.program.name === 'pi') return;
  for (const allow of [false, true]) {
    const texts: string[] = [];
    const client = await world.client();
    const reply = async (question: string): Promise<void> => {
      const [one] = (await client.call('outside.list', {})).running.filter(({ isBusy }) => isBusy);
      if (one !== undefined) await client.call('outside.answer', { id: one.id, question, allow, words: 'not now' });
    };
    await world.ask([await world.newTree(), '[[run:touch allowed.txt && echo it is done]]'], {
      level: 'ask',
      onEvent(event) {
        if (event.kind !== 'asked') return;
        texts.push(JSON.stringify(event.input));
        detach(reply(event.question), neverFails);
      },
    });
    assert.match(texts.join(' '), /touch allowed\.txt/);
    assert.equal(existsSync(join(world.project, 'allowed.txt')), allow);
  }
}

async function refusal(world: AgentWorld): Promise<void> {
  const { fault } = await world.ask([await world.newTree(), '[[429]]']);
  assert.equal(fault?.kind, 'rate_limited');
}

async function cancel(world: AgentWorld): Promise<void> {
  const abort = new AbortController();
  const root = await world.newTree();
  const begun = world.ask([root, 'say <<one>>'], {});
  const { tip } = await begun;
  const hanging = world.ask([tip, '[[hang]]'], {
    signal: abort.signal,
    onEvent: (event) => event.kind === 'text' && abort.abort(),
  });
  await assert.rejects(hanging, { kind: 'cancelled' });
  const next = await world.ask([tip, 'say <<two>>']);
  assert.deepEqual(outcome(next), ['heard one two', null]);
}

async function kill(world: AgentWorld): Promise<void> {
  const root = await world.newTree();
  await new Promise<void>((resolve, reject) => {
    const hanging = world.ask([root, '[[hang]]'], { onEvent: (event) => event.kind === 'text' && resolve() });
    hanging.then(({ fault }) => reject(new Error(`it ended: ${JSON.stringify(fault)}`)), reject);
  });
  assert.ok(processesWith(world.bin).length > 0, 'nothing runs');
  await world.kill();
  await until(() => processesWith(world.bin).length === 0);
  const client = await world.client();
  await until(async () => {
    const { leaves } = await client.call('loom.context_list_leaves', { tree: root, limit: 10 });
    return leaves.some(({ node }) => node.role === 'tool');
  });
  const { leaves } = await client.call('loom.context_list_leaves', { tree: root, limit: 10 });
  const found = leaves.find(({ node }) => node.role === 'tool')?.node.id ?? root;
  const { node } = await client.call('loom.node_get', { node: found });
  // Tools that outlive the hub for a moment stop it themselves.
  assert.match(JSON.stringify(node), /"fault":"(killed|cancelled)"/);
}

function outcome({ text, fault }: Answered): [string, string | null] {
  return [text, fault === null ? null : `${fault.kind}: ${fault.message}`];
}

function tipOf({ tips }: Past, name: string): NodeId {
  const found = tips.get(name);
  if (found === undefined) throw new Error(`there is no answer ${name} to go on from`);
  return found;
}

/** Ends what waits of the agent, as the end of the hub does. */
async function endProcesses(world: AgentWorld): Promise<void> {
  await world.kill();
  await until(() => processesWith(world.bin).length === 0);
}

/** The turns of the newest request to the model that may call tools. */
function newest({ models }: AgentWorld): SentTurn[] {
  return models.requests.findLast(({ tools }) => tools.length > 0)?.turns ?? [];
}

/** What persons and answers said in the newest request, without what the agent adds. */
function said(world: AgentWorld): string[] {
  return newest(world).flatMap(({ role, text }) =>
    role === 'user' ? [...text.matchAll(/<<(\w+)>>/g)].map(([, word]) => word ?? '') : [text],
  );
}

/** The same with who said it, and with calls and their results. */
function shapes(world: AgentWorld): string[] {
  return newest(world).flatMap(({ role, text, calls, results }) => {
    const words = role === 'user' ? [...text.matchAll(/<<(\w+)>>/g)].map(([, word]) => word).join(' ') : text;
    return [
      ...(words === '' ? [] : [`${role}: ${words}`]),
      ...calls.map(({ tool, input }) => `call: ${tool} ${input}`),
      ...results.map((result) => `result: ${/output of \w+/.exec(result)?.[0] ?? result}`),
    ];
  });
}
