import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves when it has printed this on stderr. */
  says(text: string): Promise<void>;
}

/** Starts a script in this folder. */
export function startScript(name: string, given: string[]): Running {
  return start(fileURLToPath(new URL(name, import.meta.url)), given);
}

/** Starts a file with this Node and collects what it prints. */
export function start(file: string, given: string[], options: SpawnOptions = {}): Running {
  const child = spawn(process.execPath, [file, ...given], { ...options, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const says = async (text: string): Promise<void> => {
    while (!stderr.includes(text)) await once(child.stderr, 'data');
  };
  return { child, ended, says };
}

/** The hub processes of a home, found by their working directory (Linux). */
export function hubsOf(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isHub(name, home))
    .map(Number);
}

function isHub(pid: string, home: string): boolean {
  try {
    // Once it runs, its title replaces its command line.
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return /dist\/hub\.js|^cognition hub/.test(words) && readlinkSync(`/proc/${pid}/cwd`) === home;
  } catch {
    return false; // it has ended since the folder was read
  }
}
