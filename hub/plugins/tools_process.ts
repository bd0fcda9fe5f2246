import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Log } from '../base/plugin.js';
import { within } from '../base/wait_at_most.js';
import { hubEnvironment } from '../config/config.js';

const YOUNG_GENERATION_MIB = 2;
// Time to end running commands, store their output and append their nodes.
const END_MS_MAX = 8_000;

export interface ToolsStart {
  /** The built file of the tools. */
  entry: string;
  home: string;
  /** The secret that the process must present to serve plugins. */
  secret: string;
  log: Log;
  logFile: string;
  onExit(): void;
}

export interface ToolsProcess {
  /** Ends the process in order; kills it when that takes too long. */
  end(): Promise<void>;
  /** Ends it at once, when it serves nothing yet. */
  kill(): void;
}

/** Starts the process of the tools. It ends by itself when this process does, because its standard input closes. */
export function startToolsProcess({ entry, home, secret, log, logFile, onExit }: ToolsStart): ToolsProcess {
  const output = openLog(logFile);
  const child = spawn(process.execPath, [`--max-semi-space-size=${YOUNG_GENERATION_MIB}`, entry], {
    // A Ctrl-C in the terminal of a hub must reach the hub only.
    detached: true,
    cwd: home,
    env: hubEnvironment(),
    stdio: ['pipe', output, output],
  });
  if (output !== 'ignore') closeSync(output);
  child.once('error', (error) => {
    log('error', `the tools could not be started: ${error.message}`);
    if (child.pid === undefined) onExit();
  });
  child.once('exit', (code, signal) => {
    log('info', `the tools, process ${child.pid}, have ended (${signal ?? code})`);
    onExit();
  });
  child.stdin?.on('error', () => undefined); // the process has ended, which its exit event reports
  child.stdin?.write(`${JSON.stringify({ home, secret })}\n`);
  return { end: () => endInOrder(child), kill: () => child.kill('SIGKILL') };
}

function openLog(file: string): number | 'ignore' {
  try {
    return openSync(file, 'a', 0o600);
  } catch {
    return 'ignore'; // it can serve without a log
  }
}

async function endInOrder(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.stdin?.end();
  await within(END_MS_MAX, gone);
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
}
