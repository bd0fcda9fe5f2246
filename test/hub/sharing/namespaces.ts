import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HUB_ENTRY } from '../../support/hub.js';

/** A network of its own, with one link to this one. */
export interface Namespace {
  name: string;
  /** The address of this end of the link, from there. */
  host: string;
  /** Whether the kernel makes the link slow and lossy by itself. */
  isShaped: boolean;
  /** Writes the program that starts a hub in it; returns its file. */
  hubEntry(folder: string): string;
  link(state: 'up' | 'down'): void;
  remove(): void;
}

/** Why none can be made here; null when they can. */
export function whyNoNamespaces(): string | null {
  if (process.getuid?.() !== 0) return 'it needs root';
  try {
    addNamespace(250).remove();
    return null;
  } catch (error) {
    return String(error);
  }
}

/** Makes one; the number keeps those of one run apart. */
export function addNamespace(number: number): Namespace {
  const name = `cog${process.pid}n${number}`;
  const [near, far] = [`cg${process.pid % 100_000}h${number}`, `cg${process.pid % 100_000}n${number}`];
  const host = `10.213.${number}.1`;
  let isGone = false;
  const remove = (): void => {
    isGone = true;
    spawnSync('ip', ['link', 'del', near]);
    spawnSync('ip', ['netns', 'del', name]);
  };
  try {
    ip('netns', 'add', name);
    ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name);
    ip('addr', 'add', `${host}/30`, 'dev', near);
    ip('link', 'set', near, 'up');
    ip('-n', name, 'addr', 'add', `10.213.${number}.2/30`, 'dev', far);
    ip('-n', name, 'link', 'set', far, 'up');
    ip('-n', name, 'link', 'set', 'lo', 'up');
  } catch (error) {
    remove();
    throw error;
  }
  // 100 ms each way, and every fiftieth packet lost.
  const shaping = ['qdisc', 'add', 'dev', near, 'root', 'netem', 'delay', '200ms', 'loss', '2%'];
  const isShaped = spawnSync('tc', shaping).status === 0;
  return {
    ...{ name, host, isShaped, remove },
    hubEntry: (folder) => writeEntry(folder, name),
    link(state) {
      if (!isGone) ip('link', 'set', near, state);
    },
  };
}

function ip(...words: string[]): void {
  const { status, stderr, error } = spawnSync('ip', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${error?.message ?? stderr.trim()}`);
}

/** The descriptors are those by which a client starts a hub: the last one tells that it is ready. */
function writeEntry(folder: string, namespace: string): string {
  const file = join(folder, 'hub.mjs');
  const words = JSON.stringify(['netns', 'exec', namespace, process.execPath, HUB_ENTRY]);
  writeFileSync(
    file,
    `import { spawn } from 'node:child_process';
     spawn('ip', [...${words}, ...process.argv.slice(2)], { stdio: [0, 1, 2, 3] });`,
  );
  return file;
}
