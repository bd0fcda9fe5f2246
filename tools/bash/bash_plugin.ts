import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Plugin } from '../../hub/base/plugin.js';
import type { ToolParts } from '../base/tool_parts.js';
import type { PrivateGit } from '../private_git/private_git.js';
import { openPipePool } from '../process/pipes.js';
import { openSpareFiles } from '../process/spare_files.js';
import type { Sandbox } from '../sandbox/forms/sandbox.js';
import { createSessionNetworks } from '../sandbox/session_networks.js';
import { createBackground } from './background_output.js';
import { createBranchStates } from './branch_states.js';
import { createCommandCalls } from './command_calls.js';
import { createCarriedChanges } from './environment.js';
import { recoverCommands } from './recover_commands.js';
import { resolveCommand } from './resolve_command.js';
import { createSessions } from './sessions.js';
import { VERSION } from './store_result.js';

/** How long a living hub may take to answer, and stopped commands to be stored. */
const HUB_MS_MAX = 500;
const KEEP_MS_MAX = 6_000;

export interface BashPlugin extends Plugin {
  /** How many commands are running. */
  running(): number;
}

/** Runs commands with bash. First it ends what an earlier process left running. */
export async function openBash(parts: ToolParts & { sandbox: Sandbox; privateGit: PrivateGit }): Promise<BashPlugin> {
  const { hub, newId, sandbox, sessionsFolder: folder } = parts;
  const [pool, { pid }, recovering] = await Promise.all([
    openPipePool(join(folder, `pipes-${newId()}`)),
    hub.call('health.check', {}),
    recoverCommands(parts),
  ]);
  const spares = openSpareFiles(folder);
  const background = createBackground();
  let isClosing = false;

  async function isHubAlive(): Promise<boolean> {
    const answer = hub.call('health.check', {}, { signal: AbortSignal.timeout(HUB_MS_MAX) }).catch(() => null);
    return (await answer)?.pid === pid;
  }

  const sessions = createSessions({ folder, newId, isBusy: (session) => calls.isBusy(session) });
  const calls = createCommandCalls({
    ...{ ...parts, pool, spares, sessions, recovering },
    carried: createCarriedChanges(),
    branchStates: createBranchStates(),
    networks: createSessionNetworks(sandbox),
    adopt: background.adopt,
    mayKeep: async () => !isClosing || (await isHubAlive()),
  });

  return {
    name: 'bash',
    version: VERSION,
    running: () => calls.running() + recovering.running(),
    methods: {
      'bash.open': async (params) => {
        const { id, policy } = sessions.open(params);
        return { session: id, sandbox: policy.kind === 'open' ? 'none' : (await sandbox.report()).kind };
      },
      'bash.execute': calls.execute,
      'bash.follow': calls.follow,
      'bash.read': calls.read,
      'bash.list': async () => ({ commands: calls.list() }),
      'bash.cancel': async ({ id }) => ({ cancelled: await calls.cancel(id) }),
      'bash.close': async ({ session }) => {
        await calls.endSession(session, 'cancelled: its session was closed');
        return { closed: sessions.close(session) };
      },
    },
    resolve: (request) => resolveCommand(hub, request),
    async close() {
      isClosing = true;
      const stopped = calls.endSession(null, 'cancelled: the hub has ended');
      await Promise.race([stopped, wait(KEEP_MS_MAX, undefined, { ref: false })]);
      background.close();
      pool.close();
      spares.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
