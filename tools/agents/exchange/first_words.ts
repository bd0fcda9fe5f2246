import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../../../hub/base/disk/durable_file.js';
import { makeFolder } from '../../../hub/base/disk/make_folder.js';
import type { Node } from '../../../hub/protocol/node.js';
import { AgentId, AgentName, FaultKind } from '../../../hub/protocol/outside_agent.js';
import { valueOrNull } from '../../sandbox/attempt.js';
import type { AgentCli, Opening } from '../agent_cli.js';
import { AGENT_SOURCE } from '../history/agent_source.js';
import type { SeedPlace } from '../history/past_turn.js';
import { pathTurns } from '../history/path_turns.js';
import { handOver } from './told_path.js';

/** What the node of an exchange says of it. */
export const ExchangeMetadata = z.object({
  agent: AgentName,
  version: z.string().nullable(),
  session: AgentId.nullable(),
  at: AgentId.nullable(),
  cwd: z.string(),
  fault: FaultKind.nullable(),
});
export type ExchangeMetadata = z.infer<typeof ExchangeMetadata>;

/** How an exchange begins, and what is said then. */
export interface ChosenOpening {
  opening: Opening;
  said: string;
  /** Files of a seeded session, below the agent's home. */
  files: Readonly<Record<string, string>>;
  /** The words with which the program takes the files in; null where it finds them. */
  takeIn: ((home: string) => string[]) | null;
  /** What the agent is not told, or only as text; null when it knows all. */
  remark: string | null;
}

const NO_FILES = {};
/** After these the session cannot be trusted to know the path. */
const LOST: readonly FaultKind[] = ['session_lost', 'session_switched', 'protocol', 'killed', 'not_installed'];

/** The session in which the newest exchange of a path ended, when that is this agent's own and knows all of it. */
export function ownSession(
  before: readonly Node[],
  cli: AgentCli,
): (ExchangeMetadata & { node: string; endedAtMs: number }) | null {
  const last = before.at(-1);
  // The answer stands right below what was done.
  const done = last?.role === 'assistant' ? before.at(-2) : last;
  if (done?.kind !== 'external' || done.external.handle.source !== AGENT_SOURCE) return null;
  const parsed = ExchangeMetadata.safeParse(done.external.handle.metadata);
  if (!parsed.success || parsed.data.agent !== cli.name) return null;
  const { fault } = parsed.data;
  return fault !== null && LOST.includes(fault)
    ? null
    : { ...parsed.data, node: done.id, endedAtMs: done.created_at_ms };
}

/** How an agent goes on in its own session: where that stands, else from a copy of it up to the point of the path. */
export function goOn(
  own: Pick<ExchangeMetadata, 'session' | 'at'> & { node: string },
  cli: AgentCli,
  tip: string | null,
): Opening | null {
  const { session, at, node } = own;
  if (session === null) return null;
  if (tip === node) return { kind: 'resume', session };
  return at !== null && cli.abilities.includes('fork_at') ? { kind: 'fork', session, at } : null;
}

/** How an agent begins that does not know the path: told it in its own form, else as text. */
export function tellHistory(
  { before, task }: { before: readonly Node[]; task: string },
  cli: AgentCli,
  place: SeedPlace,
): ChosenOpening {
  const history = pathTurns(before);
  const plain = { said: task, files: NO_FILES, takeIn: null, remark: null };
  if (history.length === 0) return { ...plain, opening: { kind: 'new' } };
  const seeding = cli.seed?.(history, place);
  switch (seeding?.kind) {
    case 'session': {
      const { session, files, takeIn = null } = seeding;
      return { ...plain, opening: { kind: 'resume', session }, files, takeIn };
    }
    case 'items':
      return { ...plain, opening: seeding };
    default:
      return tellAsText({ before, task }, cli);
  }
}

/** How an agent begins that is told the path as text, before what it is asked. */
export function tellAsText({ before, task }: { before: readonly Node[]; task: string }, cli: AgentCli): ChosenOpening {
  const said = handOver(pathTurns(before), task);
  const remark = `${cli.name} is told what was said before as text`;
  return { opening: { kind: 'new' }, said, files: NO_FILES, takeIn: null, remark };
}

/** Remembers which exchange is the newest of each session: a session whose newest is another has gone on elsewhere. */
export interface SessionTips {
  read(agent: AgentName, session: AgentId): string | null;
  write(agent: AgentName, session: AgentId, node: string): void;
}

export function createSessionTips(cognitionHome: string): SessionTips {
  const folderFor = (agent: AgentName): string => join(cognitionHome, 'agents', agent, 'tips');
  return {
    read: (agent, session) => valueOrNull(() => readFileSync(join(folderFor(agent), session), 'utf8').trim()),
    write(agent, session, node) {
      makeFolder(folderFor(agent));
      replaceFile(join(folderFor(agent), session), `${node}\n`);
    },
  };
}
