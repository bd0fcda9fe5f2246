import { spawn } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Contained } from '../../../hub/protocol/policy.js';
import { findSandbox, type Sandbox } from '../../../tools/sandbox/forms/sandbox.js';
import { withFolder } from '../../support/hub.js';
import { tries } from '../../support/mounts.js';

const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

/** The forms of the sandbox that can be tried here. */
export const KINDS = (['bubblewrap', 'util-linux'] as const).filter((kind) =>
  kind === 'bubblewrap'
    ? tries('bwrap', ['--ro-bind', '/', '/', '--unshare-user', 'true'])
    : tries('unshare', ['--user', '--map-root-user', '--mount', 'true']),
);

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Setting {
  project: string;
  home: string;
  kept: string;
  tmp: string;
  sandbox: Sandbox;
  policy: Contained;
  /** Runs a bash command inside and returns its result. */
  run(command: string, how?: { policy?: Partial<Contained>; cwd?: string }): Promise<Ended>;
}

/** A project, a home folder and a sandbox for them. */
export function withSandbox<T>(kind: (typeof KINDS)[number], use: (setting: Setting) => Promise<T>): Promise<T> {
  return withFolder(async (given) => {
    const folder = realpathSync(given);
    const [project, home, kept, tmp] = ['project', 'home', 'home/kept', 'tmp'].map((name) => join(folder, name));
    if (!project || !home || !kept || !tmp) throw new Error('unreachable');
    for (const path of [project, kept, tmp]) mkdirSync(path, { recursive: true });
    const place = { userHome: home, cognitionHome: kept, commands: join(kept, 'commands'), path: PATH };
    const sandbox = findSandbox({ machine: place, log: (_level, message) => console.error(message) }, { only: kind });
    const policy: Contained = { kind: 'contained', network: false, writable: [project], readable: null };
    return use({
      ...{ project, home, kept, tmp, sandbox, policy },
      async run(command, how = {}) {
        const wrapped = await sandbox.wrap({
          ...{ program: 'bash', arguments: ['-c', command], cwd: how.cwd ?? project, tmp },
          policy: { ...policy, ...how.policy },
        });
        try {
          return await ended(wrapped.program, wrapped.arguments, home);
        } finally {
          wrapped.release();
        }
      },
    });
  });
}

export function ended(program: string, given: readonly string[], home: string): Promise<Ended> {
  const child = spawn(program, given, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: { PATH, HOME: home } });
  const said = { out: '', err: '' };
  child.stdio[1]?.on('data', (bytes: Buffer) => {
    said.out += bytes;
  });
  child.stdio[2]?.on('data', (bytes: Buffer) => {
    said.err += bytes;
  });
  child.stdio[3]?.on('data', (bytes: Buffer) => {
    said.out += `3:${bytes}`;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...said }));
  });
}
