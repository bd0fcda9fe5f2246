import { type Part, type Script, say } from '../support/model/script.js';
import type { TestAgent } from '../support/turns.js';
import { type Extent, randomFrom } from './extent.js';

/** The most events of a turn before its hub is killed, and the longest delay after them. */
const EVENTS_MAX = 45;
const DELAY_US_MAX = 4_000;
/** How many kills happen on one growing path. */
const KILLS_OF_PATH = 8;

/** The outcome of the kills. */
export interface KilledTurns {
  /** How the turns ended, as the next hub reports it. */
  states: Record<string, number>;
  /** Nodes reported as committed but missing on the path; turns that could not be continued. */
  problems: string[];
}

/** Kills the hub at random instants of running turns; each time the next one must be able to continue. */
export async function killTurns(agent: TestAgent, { seed, count }: Extent): Promise<KilledTurns> {
  const random = randomFrom(seed);
  const killed: KilledTurns = { states: {}, problems: [] };
  let tip: Parameters<TestAgent['begin']>[0] | undefined;
  for (let kill = 0; kill < count; kill++) {
    if (kill % KILLS_OF_PATH === 0) tip = undefined;
    const node = await agent.say(`question ${kill}`, tip);
    agent.server.script(...answers(random));
    const { pid } = await agent.client.call('health.check', {});
    const turn = agent.begin(node);
    await turn.heard(Math.floor(random() * EVENTS_MAX));
    killAfter(pid, (random() * DELAY_US_MAX) / 1_000);
    const outcome = await turn.outcome;
    killed.states[outcome.state] = (killed.states[outcome.state] ?? 0) + 1;
    const told = turn.events.flatMap((event) => (event.kind === 'step_committed' ? event.nodes : []));
    const stored = new Set((await agent.path(outcome.tip)).map(({ id }) => id));
    const lost = told.filter((id) => !stored.has(id));
    if (lost.length > 0) killed.problems.push(`kill ${kill}: ${lost.length} nodes are not on the path`);
    tip = outcome.tip;
    if (outcome.state === 'done') continue;
    const next = await agent.run(outcome.tip);
    tip = next.tip;
    if (next.state !== 'done') {
      killed.problems.push(`kill ${kill}: ${outcome.state}, then ${next.state}: ${next.failure?.message ?? next.why}`);
    }
  }
  return killed;
}

/** Kills a process at an instant with a precision of microseconds, which no timer has. */
function killAfter(pid: number, delayMs: number): void {
  const killedAt = performance.now() + delayMs;
  while (performance.now() < killedAt);
  process.kill(pid, 'SIGKILL');
}

/** Some realistic steps. The model answers whatever a kill leaves of them. */
function answers(random: () => number): Script[] {
  const steps = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const parts: Part[] = [];
    if (random() < 0.5) parts.push({ kind: 'thinking', text: 'What could that be?' });
    if (random() < 0.7) parts.push({ kind: 'text', text: 'Let me look at that, one thing after the other.' });
    const calls = 1 + Math.floor(random() * 3);
    for (let call = 0; call < calls; call++) parts.push(someCall(call, random));
    return say(...parts);
  });
  return [...steps, say({ kind: 'text', text: 'That is all there is to say about it.' })];
}

function someCall(number: number, random: () => number): Part {
  const inputs: [string, object][] = [
    ['bash', { command: 'echo begun; sleep 0.02; echo done' }],
    ['write', { path: `file-${number}.txt`, content: 'some text\n' }],
    ['read', { path: 'file-0.txt' }],
    ['nothing', {}],
  ];
  const [tool, input] = inputs[Math.floor(random() * inputs.length)] ?? ['bash', {}];
  return { kind: 'call', id: `call-${number}`, tool, input: JSON.stringify(input) };
}
