import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { Sandbox } from '../sandbox/forms/sandbox.js';
import type { Mount } from '../sandbox/mounts.js';

/** Where a job finds its folders. */
export const JOB_ROOT = '/run/cognition';

const JOB_MS_MAX = 120_000;
const OUTPUT_LENGTH_MAX = 64 * 1024 * 1024;
const STDERR_LENGTH_MAX = 2_000;

/** A bash script about repositories, of which none is trusted. */
export interface GitJob {
  script: string;
  /** By their names below `JOB_ROOT`, the outer before the inner. */
  folders: readonly JobFolder[];
  /** What the script reads, or what makes it of the lines that were printed before one with a dot. Must not throw. */
  input: string | ((printed: string[]) => string);
}

export interface JobFolder {
  name: string;
  source: string;
  writable: boolean;
}

export interface JobParts {
  sandbox: Sandbox;
  /** The search path. */
  path: string;
  /** The folder for temporary files of a job; one runs at a time. */
  tmp: string;
}

/** Nothing of the person's or the system's own settings, and nothing that a repository names to be run. */
const ENVIRONMENT = {
  HOME: '/nonexistent',
  // A repository may name one that is not shown here.
  GIT_WORK_TREE: '/tmp',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'cognition',
  GIT_AUTHOR_EMAIL: 'cognition',
  GIT_COMMITTER_NAME: 'cognition',
  GIT_COMMITTER_EMAIL: 'cognition',
};

const PRELUDE = [
  'set -euo pipefail',
  'trap \'echo "line $LINENO failed" >&2\' ERR',
  // Before the subcommand: it counts more than any file.
  'git() { command git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.commitGraph=false -c gc.auto=0 -c maintenance.auto=false "$@"; }',
  `cd ${JOB_ROOT}`,
  '',
].join('\n');

/**
 * Runs a script in a sandbox that shows the folders of the job, the system's programs and nothing else. Whatever a repository has in
 * its settings, it runs in there at most. Returns what it printed.
 */
export async function runGitJob({ sandbox, path, tmp }: JobParts, job: GitJob): Promise<string> {
  const { kind } = await sandbox.report();
  if (kind === 'none' || kind === 'sandbox-exec') {
    throw new HubError('sandbox_unavailable', 'no sandbox works here that could hold git');
  }
  rmSync(tmp, { recursive: true, force: true });
  mkdirSync(tmp, { recursive: true, mode: 0o700 });
  const wrapped = await sandbox.wrap({
    ...{ program: 'bash', arguments: ['-c', PRELUDE + job.script], cwd: '/tmp', tmp },
    policy: { kind: 'contained', network: false, writable: [], readable: [] },
    mounts: job.folders.map(
      ({ name, source, writable }): Mount => ({
        ...{ kind: 'bind', path: join(JOB_ROOT, name), source, writable, isFolder: true },
      }),
    ),
  });
  try {
    return await outputOf(wrapped.program, wrapped.arguments, { PATH: path, ...ENVIRONMENT }, job.input);
  } finally {
    wrapped.release();
  }
}

function outputOf(
  program: string,
  given: readonly string[],
  ...[env, input]: [Record<string, string>, GitJob['input']]
): Promise<string> {
  const child = spawn(program, given, { cwd: '/', env, timeout: JOB_MS_MAX, killSignal: 'SIGKILL' });
  // A script that has failed reads no more.
  child.stdin.on('error', () => undefined);
  if (typeof input === 'string') child.stdin.end(input);
  let printed = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    const end = child.stdin.writableEnded ? -1 : `\n${printed}`.indexOf('\n.\n');
    if (typeof input === 'function' && end >= 0) {
      child.stdin.end(
        input(
          printed
            .slice(0, end)
            .split('\n')
            .filter((line) => line !== ''),
        ),
      );
    }
    if (printed.length > OUTPUT_LENGTH_MAX) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(0, STDERR_LENGTH_MAX);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(printed);
      else reject(new HubError('resolve_failed', `git did not work: ${errors.trim() || `it ended with ${code}`}`));
    });
  });
}
