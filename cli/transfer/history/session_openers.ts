import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { seedClaude } from '../../../tools/agents/history/claude_seed.js';
import { seedCodex } from '../../../tools/agents/history/codex_seed.js';
import { seedGemini } from '../../../tools/agents/history/gemini_seed.js';
import { seedOpencode } from '../../../tools/agents/history/opencode_seed.js';
import type { PastTurn, SeededSession, SeedPlace } from '../../../tools/agents/history/past_turn.js';
import { seedPi } from '../../../tools/agents/history/pi_seed.js';
import { injectIntoCodex } from './codex_thread.js';
import { HISTORY_SOURCES } from './history_sources.js';
import { runProgram } from './run_program.js';

/** A session that another agent can go on with. */
export interface OpenedSession {
  session: string;
  /** The file that was written; null where the agent keeps it itself. */
  path: string | null;
  /** What goes on in it, word by word. */
  command: readonly [string, ...string[]];
}

export interface OpenPlace {
  cwd: string;
  model: string | null;
  /** The folder for files that are only handed over. */
  handovers: string;
}

type Opener = (turns: readonly PastTurn[], place: OpenPlace) => Promise<OpenedSession>;

/** How a branch is opened in each agent, by its name. */
export const SESSION_OPENERS: ReadonlyMap<string, Opener> = new Map<string, Opener>([
  ['claude', inOwnFolder('claude', seedClaude, ({ session }) => ['claude', '--resume', session])],
  ['codex', openInCodex],
  [
    'gemini',
    async (turns, place) => {
      const { session, path } = writeSession(place.handovers, seedGemini(turns, seedPlace(place)));
      return { session, path, command: ['gemini', '--session-file', path] };
    },
  ],
  ['opencode', openInOpencode],
  ['pi', inOwnFolder('pi', seedPi, ({ path }) => ['pi', '--session', path])],
]);

interface Written {
  session: string;
  path: string;
}

type Seed = (turns: readonly PastTurn[], place: SeedPlace) => SeededSession;

/** Writes it where the agent keeps its own sessions. */
function inOwnFolder(name: string, seed: Seed, commandOf: (written: Written) => OpenedSession['command']): Opener {
  return async (turns, place) => {
    const folder = HISTORY_SOURCES.get(name)?.folder() ?? place.handovers;
    const written = writeSession(folder, seed(turns, seedPlace(place)));
    return { ...written, command: commandOf(written) };
  };
}

async function openInCodex(turns: readonly PastTurn[], place: OpenPlace): Promise<OpenedSession> {
  const session = await injectIntoCodex(seedCodex(turns, seedPlace(place)), place.cwd);
  return { session, path: null, command: ['codex', 'resume', session] };
}

async function openInOpencode(turns: readonly PastTurn[], place: OpenPlace): Promise<OpenedSession> {
  const { session, path } = writeSession(place.handovers, seedOpencode(turns, seedPlace(place)));
  await runProgram(['opencode', 'import', path], place.cwd);
  return { session, path, command: ['opencode', '--session', session] };
}

function seedPlace({ cwd, model }: OpenPlace): SeedPlace {
  return { cwd, model, newId: randomUUID, version: null };
}

/** Writes a new file, which only the person can read; one that is there is never replaced. */
function writeSession(folder: string, { session, names, text }: SeededSession): Written {
  const path = join(folder, ...names);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new HubError('storage_failed', `${path} cannot be written`, { cause: error });
  }
  return { session, path };
}
