import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Plugin } from '../../hub/base/plugin.js';
import type { ToolParts } from '../base/parts.js';
import { openPipePool } from '../process/pipes.js';
import { openSpareFiles } from '../process/spare_files.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { createBackground } from './background_output.js';
import { createPlaces } from './branch_places.js';
import { createExecution } from './calls.js';
import { createCarried } from './environment.js';
import { recover } from './recover_commands.js';
import { resolveCommand } from './resolve_command.js';
import { createSessions } from './sessions.js';
import { VERSION } from './store_result.js';

/** How long a hub that is alive may take to say so, and commands that were ended to be kept. */
const HUB_MS_MAX = 500;
const KEEP_MS_MAX = 6_000;
/** Looks at a folder that somebody else is still filling, 100 ms later each. */
const REMOVE_RETRIES_MAX = 3;

export interface BashPlugin extends Plugin {
  /** How many commands are running. */
  running(): number;
}

/** Runs commands of bash. Before it serves anybody it ends what a process before it left running. */
export async function openBash(parts: ToolParts & { sandbox: Sandbox }): Promise<BashPlugin> {
  const { hub, newId, sandbox } = parts;
  const folder = makeFolder(join(parts.machine.cognitionHome, 'tmp'), newId());
  const [pool, { pid }, recovering] = await Promise.all([
    openPipePool(join(folder, `pipes-${newId()}`)),
    hub.call('health.check', {}),
    recover(parts),
  ]);
  const spares = openSpareFiles(folder);
  const background = createBackground();
  let isClosing = false;

  async function isHubThere(): Promise<boolean> {
    const answer = hub.call('health.check', {}, { signal: AbortSignal.timeout(HUB_MS_MAX) }).catch(() => null);
    return (await answer)?.pid === pid;
  }

  const sessions = createSessions({ folder, newId, isBusy: (session) => execution.isBusy(session) });
  const execution = createExecution({
    ...{ ...parts, pool, spares, sessions, recovering },
    carried: createCarried(),
    places: createPlaces(),
    adopt: background.adopt,
    mayKeep: async () => !isClosing || (await isHubThere()),
  });

  return {
    name: 'bash',
    version: VERSION,
    running: () => execution.running() + recovering.running(),
    methods: {
      'bash.open': async (params) => {
        const { id, policy } = sessions.open(params);
        return { session: id, sandbox: policy.kind === 'open' ? 'none' : (await sandbox.report()).kind };
      },
      'bash.execute': execution.execute,
      'bash.follow': execution.follow,
      'bash.list': async () => ({ commands: execution.list() }),
      'bash.cancel': async ({ id }) => ({ cancelled: await execution.cancel(id) }),
      'bash.close': async ({ session }) => {
        await execution.endSession(session, 'cancelled: its session was closed');
        return { closed: sessions.close(session) };
      },
    },
    resolve: (wanted) => resolveCommand(hub, wanted),
    async close() {
      isClosing = true;
      const kept = execution.endSession(null, 'cancelled: the hub has ended');
      await Promise.race([kept, wait(KEEP_MS_MAX, undefined, { ref: false })]);
      background.close();
      pool.close();
      spares.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A private folder of this process. What others have left beside it goes; one that is still ending removes only its own. */
function makeFolder(beside: string, name: string): string {
  rmSync(beside, { recursive: true, force: true, maxRetries: REMOVE_RETRIES_MAX });
  const folder = join(beside, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
