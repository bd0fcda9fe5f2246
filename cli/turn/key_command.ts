import { type ChildProcess, spawn } from 'node:child_process';
import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import type { Preferences } from '../../hub/config/config.js';
import type { AgentEvent } from '../../hub/protocol/turn.js';
import type { ModelAccess } from './model_access.js';

/** Time for a person to type a passphrase. */
const COMMAND_MS_MAX = 120_000;
const OUTPUT_BYTES_MAX = 64 * 1024;

/** How a program runs that may ask the person something: its standard output goes to the listener, and nowhere else. */
export type RunListened = (
  command: string,
  args: readonly string[],
  options: { timeout: number; onStdout: (chunk: Buffer) => void },
) => Promise<number | null>;

/** The keys that commands of the person's print, as a conversation needs them. */
export interface CommandKeys {
  servers: Preferences['servers'];
  access: ModelAccess;
  run: RunListened;
}

/** Calls the hub; where a key is missing that a command prints, that is run once, and the hub called again. */
export async function withCommandKey<T>(keys: CommandKeys, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const provider = error instanceof HubError && error.kind === 'no_key' ? error.details.provider : null;
    if (typeof provider !== 'string' || !(await fetchKey(keys, provider))) throw error;
    return call();
  }
}

/** Puts the key that a command prints where the next call takes it from; false where there is no such command. */
export async function fetchKey({ servers, access, run }: CommandKeys, provider: string): Promise<boolean> {
  const entry = access[provider];
  const command = servers.get(provider)?.keyCommand ?? null;
  if (entry === undefined || entry.key !== null || command === null) return false;
  entry.key = await printedKey(provider, command, run);
  return true;
}

/** Gives a turn the key that it wants for a sub-session, or word that there is none. */
export async function giveKey(
  keys: CommandKeys,
  client: Pick<Client, 'call'>,
  { turn, provider }: Extract<AgentEvent, { kind: 'key_wanted' }>,
): Promise<void> {
  await fetchKey(keys, provider).catch(() => false);
  await client.call('agent.key_give', { turn, provider, key: keys.access[provider]?.key ?? null });
}

/** Forgets the keys that commands have printed: one that a server refused may have been replaced. */
export function forgetPrintedKeys(access: ModelAccess): void {
  for (const entry of Object.values(access)) if (entry.key_pending) entry.key = null;
}

/** The first line that the command prints, as `pass` and its like have it. */
async function printedKey(provider: string, command: string, run: RunListened): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const onStdout = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= OUTPUT_BYTES_MAX) chunks.push(chunk);
  };
  const code = await run('sh', ['-c', command], { timeout: COMMAND_MS_MAX, onStdout });
  const [line = ''] = Buffer.concat(chunks).toString('utf8').trim().split('\n');
  const key = line.trim();
  if (code === 0 && /^[\x21-\x7e]+$/.test(key)) return key;
  const how = code === null ? 'did not end' : `ended with ${code}`;
  throw new HubError('no_key', `the command for the key of ${provider} ${code === 0 ? 'printed no key' : how}`, {
    hint: `try in your shell what stands at server.${provider}.key_command`,
  });
}

/** Runs a program beside this one, which does not touch the terminal meanwhile; piped input is not for it. */
export const runBeside: RunListened = (command, args, { timeout, onStdout }) => {
  const stdin = process.stdin.isTTY ? 'inherit' : 'ignore';
  return listenedEnd(spawn(command, args, { stdio: [stdin, 'pipe', 'inherit'], timeout }), onStdout);
};

/** The exit code of a child whose output is listened to; null for a signal. */
export function listenedEnd(child: ChildProcess, onStdout: (chunk: Buffer) => void): Promise<number | null> {
  child.stdout?.on('data', onStdout);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // What it has started may hold the pipe open for longer.
    child.once('exit', (code) => {
      if (code === null) child.stdout?.destroy();
    });
    child.once('close', (code) => resolve(code));
  });
}
