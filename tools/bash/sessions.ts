import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { rpcMethod } from '../../hub/base/hint.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { BashSessionId } from '../../hub/protocol/methods/tool_methods.js';
import type { Policy } from '../../hub/protocol/policy.js';
import { checkEnvironment, type Environment } from './environment.js';

const SESSIONS_MAX = 256;
const UMASK = 0o022;

/** The shell state that commands of one position start with. */
export interface BashSession {
  id: BashSessionId;
  cwd: string;
  /** The caller's own; null for the one that a model's commands get. */
  environment: Environment | null;
  umask: number;
  policy: Policy;
  /** The `/tmp` of its contained commands. */
  tmp: string;
}

export interface Sessions {
  open(params: ParsedOf<'bash.open'>): BashSession;
  /** Throws for an unknown session. */
  get(id: BashSessionId): BashSession;
  /** False when there was none. */
  close(id: BashSessionId): boolean;
}

export interface SessionsParts {
  /** Where the private folders are made. */
  folder: string;
  newId(): string;
  isBusy(session: string): boolean;
}

/** Keeps the sessions of this process; the least recently used idle one makes room for a new one. */
export function createSessions({ folder, newId, isBusy }: SessionsParts): Sessions {
  // A map keeps insertion order.
  const sessions = new Map<BashSessionId, BashSession>();

  function close(id: BashSessionId): boolean {
    rmSync(join(folder, id), { recursive: true, force: true });
    return sessions.delete(id);
  }

  function makeRoom(): void {
    if (sessions.size < SESSIONS_MAX) return;
    const idle = [...sessions.keys()].find((id) => !isBusy(id));
    if (idle === undefined) {
      throw new HubError('limit', `there are ${SESSIONS_MAX} sessions for commands, all of them busy`, {
        hint: 'wait for a command to end, or cancel one',
        retryable: true,
      });
    }
    close(idle);
  }

  return {
    open({ session, cwd, environment, umask, policy }) {
      const id = session ?? BashSessionId.parse(`session-${newId()}`);
      if (!cwd.startsWith('/')) {
        throw new HubError('invalid_params', `a session begins in an absolute folder, not in ${JSON.stringify(cwd)}`);
      }
      const opened: BashSession = {
        ...{ id, cwd, policy, umask: umask ?? UMASK, tmp: join(folder, id) },
        environment: environment === null ? null : checkEnvironment(environment),
      };
      if (!sessions.has(id)) makeRoom();
      if (policy.kind === 'contained') mkdirSync(opened.tmp, { recursive: true, mode: 0o700 });
      sessions.delete(id);
      sessions.set(id, opened);
      return opened;
    },
    get(id) {
      const existing = sessions.get(id);
      if (existing === undefined) {
        throw new HubError('not_found', `there is no session ${JSON.stringify(id)} for commands`, {
          hint: ['open one with ', rpcMethod('bash.open'), '; sessions end with the tools process'],
        });
      }
      sessions.delete(id);
      sessions.set(id, existing);
      return existing;
    },
    close,
  };
}
