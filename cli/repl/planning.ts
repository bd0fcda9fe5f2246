import type { Client } from '../../hub/client.js';
import type { NodeId } from '../../hub/protocol/node.js';
import type { Repl } from './repl.js';
import { upwards } from './walk.js';

/** How far above a place the last answer is looked for; there is nearly always one within a few nodes. */
const NODES_MAX = 200;

/** Whether the next turn would make a plan. */
export async function isPlanning({ client, means, conversation }: Repl): Promise<boolean> {
  const { level, from, plan } = means.change;
  if (level != null) return level === 'plan';
  if (from != null || plan != null) return false;
  const here = conversation();
  return here.isMade() && (await levelAt(client, here.place.position())) === 'plan';
}

/** What the last answer on a path was allowed to do; null where there is none. */
async function levelAt(client: Client, position: NodeId): Promise<string | null> {
  let looked = 0;
  for await (const { role, settings } of upwards(client, position)) {
    if (role === 'assistant' && settings !== null) {
      return (await client.call('loom.settings_get', { sha256: settings })).settings.level;
    }
    looked += 1;
    if (looked >= NODES_MAX) return null;
  }
  return null;
}

/** Has the next turn make a plan, or go on as before plans were made; resolves with what it will do. */
export async function setPlanning(repl: Repl, planning: boolean): Promise<void> {
  const { means, client, conversation, front } = repl;
  const { level: _level, from: _from, plan: _plan, ...rest } = means.change;
  if (planning) means.change = { ...rest, level: 'plan' };
  else {
    means.change = rest;
    const here = conversation();
    if (await isPlanning(repl)) {
      const { before } = await client.call('agent.plan_get', { node: here.place.position() });
      means.change = before === null ? { ...rest, level: 'orchestrator' } : { ...rest, from: before };
    }
  }
  front.update({ activity: planning ? 'Plan' : 'Execute' });
  // What was being asked for meanwhile was of before.
  front.update({});
}
