import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { environment } from '../../hub/config/config.js';
import { EXIT } from './failure.js';
import type { Sink } from './sink.js';
import type { Screen } from './terminal_look.js';

/** Passes output through a pager as soon as it is more than one screen. */
export function pagedSink(direct: Sink, screen: Screen, command: string): Sink {
  if (!screen.isTty || !isPager(command)) return direct;
  let held = '';
  let rows = 0;
  let pager: Sink | undefined;
  return {
    write: async (text) => {
      if (pager !== undefined) return pager.write(text);
      held += text;
      rows += rowsOf(text, screen.columns);
      if (rows < screen.rows) return;
      pager = startPager(command);
      await pager.write(held);
    },
    end: async () => {
      if (pager === undefined) await direct.write(held);
      await (pager ?? direct).end();
    },
  };
}

/** Counts the rows that text fills, long lines wrapped. */
function rowsOf(text: string, columns: number): number {
  let rows = -1;
  for (const line of text.split('\n')) rows += Math.max(1, Math.ceil(line.length / columns));
  return rows;
}

function startPager(command: string): Sink {
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'inherit', 'inherit'] });
  const { stdin } = child;
  let isWhole = false;
  const gone = once(child, 'exit').then(() => {
    // The person has quit the pager.
    if (!isWhole) process.exit(EXIT.ok);
  });
  stdin.on('error', () => undefined); // the exit, which follows, reports it
  // Ctrl-C is the pager's to handle; we wait for the pager.
  process.removeAllListeners('SIGINT');
  process.on('SIGINT', () => undefined);
  return {
    write: async (text) => {
      if (!stdin.write(text)) await Promise.race([drained(stdin), gone]);
    },
    end: async () => {
      isWhole = true;
      stdin.end();
      await gone;
    },
  };
}

/** Unlike `once` it does not reject when the stream fails: the pager's exit reports that. */
function drained(stdin: Writable): Promise<void> {
  return new Promise((resume) => stdin.once('drain', resume));
}

/** Whether a preference names a pager that is installed; `cat` is none. */
export function isPager(command: string): boolean {
  const [program = ''] = command.trim().split(/\s+/);
  if (program === '' || program === 'cat') return false;
  if (program.includes('/')) return isExecutable(program);
  return (environment('PATH') ?? '').split(delimiter).some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run
  }
}
