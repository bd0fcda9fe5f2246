import { statSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import type { Client } from '../../../hub/client/client.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import type { Repl } from '../repl.js';

/** Whether the next turn would make a plan. */
export async function isPlanning(repl: Repl): Promise<boolean> {
  const { level, from, plan } = repl.turnOptions.change;
  if (level == null && (from != null || plan != null)) return false;
  return (await levelHere(repl)) === 'plan';
}

/** The level of the next turn; null where none has been set yet. */
export async function levelHere({ client, turnOptions, conversation }: Repl): Promise<string | null> {
  const { level } = turnOptions.change;
  if (level != null) return level;
  const here = conversation();
  return here.isMade() ? levelAt(client, here.place.position()) : null;
}

/** The level of the last answer on a path; without answers, the level that the tree began with. */
async function levelAt(client: Client, position: NodeId): Promise<string | null> {
  const { settings: sha256 } = await client.call('loom.context_get_settings', { node: position });
  if (sha256 === null) return (await client.call('agent.plan_get', { node: position })).level;
  return (await client.call('loom.settings_get', { sha256 })).settings.level;
}

/** Refuses where the plan file would be inside the home of the conversations, which no model may touch. */
export async function refuseAtHome({ client, conversation, context }: Repl): Promise<void> {
  const here = conversation();
  const { tree } = here.place;
  const project = here.isMade() ? (await client.call('loom.tree_get', { tree })).project : context.project;
  if (project === null || !isSameFolder(join(project, '.cognition'), context.paths.home)) return;
  throw new HubError('conflict', 'plans need a project: .cognition here is where your conversations are', {
    hint: 'cd to the folder of a project, then: cognition chat',
  });
}

function isSameFolder(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
}

/** Switches the next turn to plan mode, or back to the level before it. */
export async function setPlanning(repl: Repl, planning: boolean): Promise<void> {
  const { turnOptions, client, conversation, front } = repl;
  const { level: _level, from: _from, plan: _plan, ...rest } = turnOptions.change;
  if (planning) {
    await refuseAtHome(repl);
    turnOptions.change = { ...rest, level: 'plan' };
  } else {
    turnOptions.change = rest;
    const here = conversation();
    if (await isPlanning(repl)) {
      const { before } = await client.call('agent.plan_get', { node: here.place.position() });
      turnOptions.change = before === null ? { ...rest, level: 'orchestrator' } : { ...rest, from: before };
    }
  }
  front.update({ activity: planning ? 'Plan' : 'Execute' });
  // A status that was requested meanwhile is out of date.
  front.update({});
}
