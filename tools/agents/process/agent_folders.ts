import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeId } from '../../../hub/protocol/node.js';
import type { AgentName } from '../../../hub/protocol/outside_agent.js';
import type { Policy } from '../../../hub/protocol/policy.js';
import { sha256Of } from '../../base/sha256.js';

/** Where an agent sees its folders in the sandbox. */
const INSIDE = '/run/cognition';

/** The folders of an agent: its home is the same for all sessions, so that it is logged in once. */
export interface AgentFolders {
  home: string;
  /** What is kept of it for one conversation. */
  agent: string;
  workspace: string;
  /** For all agents of the conversation. */
  context: string;
  messages: string;
  results: string;
}

export interface AgentPlace {
  cognitionHome: string;
  project: string;
  tree: TreeId;
}

export function homeOf(cognitionHome: string, name: AgentName): string {
  return join(cognitionHome, 'agents', name, 'home');
}

/** Makes the folders of an agent for a conversation. */
export function makeAgentFolders(
  { cognitionHome, project, tree }: AgentPlace,
  { agent: name, id }: { agent: AgentName; id: string },
): AgentFolders {
  const digest = sha256Of([Buffer.from(project)]);
  const session = join(cognitionHome, 'projects', digest, 'sessions', tree);
  const agent = join(session, 'agents', id);
  const folders = {
    ...{ home: homeOf(cognitionHome, name), agent, workspace: join(agent, 'workspace') },
    ...{ context: join(session, 'shared', 'context'), messages: join(session, 'shared', 'messages') },
    results: join(session, 'results'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(session, 'metadata.json'), `${JSON.stringify({ project, tree })}\n`, { mode: 0o600 });
  return folders;
}

/** The same folders as they are seen in the sandbox. */
export function foldersInside(): Omit<AgentFolders, 'agent'> {
  return {
    ...{ home: `${INSIDE}/home`, workspace: `${INSIDE}/workspace`, context: `${INSIDE}/shared/context` },
    ...{ messages: `${INSIDE}/shared/messages`, results: `${INSIDE}/results` },
  };
}

/** Where an agent sees its home. */
export function homeSeen({ home }: AgentFolders, policy: Policy): string {
  return policy.kind === 'open' ? home : foldersInside().home;
}
