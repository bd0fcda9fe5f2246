import { arch, release, type } from 'node:os';
import { dirname } from 'node:path';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import { readIn } from '../../walk/pinned_folder.js';
import { branchAt } from '../../walk/repository.js';
import { withRoot } from '../../walk/resolve_below.js';

type Environment = NonNullable<ResultOf<'file.project_read'>['environment']>;

/** What a model cannot see from the folder that it works in. */
export function readEnvironment(cwd: string, nowMs: number): Environment {
  return { date: dateOf(new Date(nowMs)), system: `${systemName()}, ${arch()}`, branch: branchOf(cwd) };
}

/** The day where this machine is. */
function dateOf(now: Date): string {
  const day = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return day.toISOString().slice(0, 10);
}

/** The system by its full name, where it says one. */
function systemName(): string {
  const text = withRoot('/usr/lib', ({ entry }) => readIn(entry, 'os-release', 4_096)?.toString()) ?? '';
  const [, name] = /^PRETTY_NAME="?([^"\p{Cc}]{1,100})"?$/mu.exec(text) ?? [];
  return name === undefined ? `${type()} ${release()}` : `${type()} (${name})`;
}

/** Of the nearest repository. */
function branchOf(folder: string): string | null {
  const branch = withRoot(folder, ({ entry }) => branchAt(entry));
  return branch !== null || folder === dirname(folder) ? branch : branchOf(dirname(folder));
}
