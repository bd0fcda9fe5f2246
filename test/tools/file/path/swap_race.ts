import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HubError } from '../../../../hub/base/error.js';
import type { CallContext } from '../../../../hub/base/plugin.js';
import type { Client } from '../../../../hub/client/client.js';
import type { Contained } from '../../../../hub/protocol/policy.js';
import { createFile } from '../../../../tools/file/file_plugin.js';
import { withHub } from '../../../support/hub.js';

const SWAPPER = fileURLToPath(new URL('swapper.mjs', import.meta.url));

/** The plugin itself with a real hub, for attacks that need many tries. */
export function pluginOf(client: Client, folder: string): ReturnType<typeof createFile> {
  const place = { userHome: join(folder, 'person'), cognitionHome: join(folder, 'home'), commands: '', path: '' };
  return createFile({
    ...{ hub: client, log: () => undefined, clock: () => 0, newId: randomUUID, machine: place, sessionsFolder: '' },
    shrinkImage: () => Promise.reject(new Error('no image is made smaller here')),
    config: {
      ...{ outputBytesMax: () => 1_000_000, httpAllowed: () => [], postgres: () => null, postgresNames: () => [] },
      agentModels: () => '',
      filesRecorded: () => false,
    },
  });
}

export function policyFor(folder: string): Contained {
  return { kind: 'contained', network: false, writable: [folder], readable: null };
}

export interface Swapping {
  project: string;
  secret: string;
  folder: string;
  client: Client;
}

/**
 * Runs an attack while another process swaps `place` in the project between a folder and a link to the secret one, or
 * puts such a link in place of each folder that is made of this name.
 */
export function withSwapping(how: 'swap' | 'replace', use: (places: Swapping) => Promise<void>) {
  return withHub(async ({ home, client }) => {
    const folder = await realpath(dirname(home));
    const project = join(folder, 'project');
    const secret = join(folder, 'secret');
    for (const made of [project, secret]) await mkdir(made);
    await writeFile(join(secret, 'file.txt'), 'SECRET same');
    const swapper = spawn(process.execPath, [SWAPPER, project, secret, how], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(swapper, 'exit');
    await once(swapper.stdout, 'data');
    try {
      await use({ project, secret, folder, client });
    } finally {
      swapper.stdin.end();
      await ended;
    }
  });
}

export const context: CallContext = {
  signal: new AbortController().signal,
  caller: { kind: 'internal' },
  emit: () => undefined,
  hasRoom: () => true,
  drained: () => Promise.resolve(),
};

/** The outcome of a call as text: its result, or its refusal. */
export async function outcomeOf(call: Promise<unknown> | undefined): Promise<string> {
  try {
    return JSON.stringify(await call);
  } catch (error) {
    if (error instanceof HubError) return `${error.kind}: ${error.message}; ${error.hint}`;
    throw error;
  }
}
