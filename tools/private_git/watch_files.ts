import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../../hub/base/disk/durable_file.js';
import { valueOrNull } from '../sandbox/attempt.js';
import { changedWords, NOT_SEARCHED, RUNS_AS_YOU_PATTERN, type RunningFiles, whatRuns } from './files_that_run.js';
import { type JobParts, runGitJob } from './git_job.js';
import { makeFolders, type StatePaths } from './git_state.js';
import type { PrivateProject } from './private_git.js';

/** What was there when a model began; `open` while it is at work, also when it was killed. */
const Seen = z.strictObject({ open: z.boolean(), files: z.record(z.string(), z.string()) });
type Seen = z.infer<typeof Seen>;

const FOUND_MAX = 20_000;
const SEARCH_SECONDS_MAX = 3;

/** Whether a model at work in a project is the only one. */
export interface Watches {
  begin(project: PrivateProject): Promise<string[]>;
  end(project: PrivateProject): Promise<string[]>;
}

/** Compares the files that run as the person before and after a model's turn. */
export function createWatches(): Watches {
  const active = new Map<string, number>();
  return {
    async begin({ root, paths, jobs }) {
      const count = active.get(root) ?? 0;
      active.set(root, count + 1);
      if (count > 0) return [];
      makeFolders(paths);
      const now = await runningFiles(jobs, root);
      const left = readSeen(paths);
      writeSeen(paths, { open: true, files: now });
      return left.open ? told(left.files, now) : [];
    },
    async end({ root, paths, jobs }) {
      const count = (active.get(root) ?? 1) - 1;
      active.set(root, count);
      const now = await runningFiles(jobs, root);
      const before = readSeen(paths);
      writeSeen(paths, { open: count > 0, files: now });
      return before.open ? told(before.files, now) : [];
    },
  };
}

function told(before: RunningFiles, now: RunningFiles): string[] {
  const words = changedWords(before, now);
  return words === null ? [] : [words];
}

function seenFile({ folder }: StatePaths): string {
  return join(folder, 'seen.json');
}

function readSeen(paths: StatePaths): Seen {
  const text = valueOrNull(() => readFileSync(seenFile(paths), 'utf8'));
  const parsed = Seen.safeParse(text === null ? null : valueOrNull((): unknown => JSON.parse(text)));
  return parsed.success ? parsed.data : { open: false, files: {} };
}

function writeSeen(paths: StatePaths, seen: Seen): void {
  replaceFile(seenFile(paths), JSON.stringify(seen));
}

/** Lists links with their targets, digests of files, whole texts of what is run in parts only, and repositories. */
const SEARCH = String.raw`
each() { while read -r -d "" path; do "$1"; done; }
# What packages bring is not searched but for the programs that they put in front of others.
timeout ${SEARCH_SECONDS_MAX} find project -xdev -mindepth 1 -regextype posix-extended \
  '(' -path project/.git -o -path '*/.git/*' \
    -o -path '*/node_modules/*' ! -path '*/node_modules/.bin' ! -path '*/node_modules/.bin/*' ')' -prune \
  -o -iregex '${RUNS_AS_YOU_PATTERN}' -printf '%y %p\0' >/tmp/found || printf 'part \0\0'
of() { grep -zE "$1" </tmp/found | cut -zc3- || :; }
link() { printf 'link %s\0%s\0' "$path" "$(readlink -- "$path" || :)"; }
of '^l ' | each link
# A pipe gives whoever reads it what another process writes by then.
odd() { printf 'odd %s\0there\0' "$path"; }
of '^[^dfl] ' | each odd
of '^f ' >/tmp/files
parts='/(package\.json|[Mm]akefile|GNUmakefile)$'
grep -zvE "$parts|/HEAD$" </tmp/files | xargs -0r sha256sum -z -- | sed -zE 's/^([0-9a-f]{64}) .(.*)$/file \2\x00\1/' || :
part() {
  printf 'text %s\0%s' "$path" "$(head -c 1000000 -- "$path" | tr -d '\0')"
  # Behind so much nothing is left out: a comment as long would hide what follows it.
  if [ "$(stat -c %s -- "$path")" -gt 1000000 ]; then printf '\n%s' "$(sha256sum <"$path")"; fi
  printf '\0'
}
{ grep -zE "$parts" </tmp/files || :; } | each part
bare() {
  local at; at=$(dirname -- "$path")
  if [ -d "$at/objects" ] && [ -d "$at/refs" ]; then repository "$at"; fi
}
repository() { printf 'repository %s\0%s\0' "$path" "$(cat -- "$1" "$1/config" "$1"/hooks/* 2>/dev/null | sha256sum)"; }
nested() { repository "$path"; }
{ grep -z '/HEAD$' </tmp/files || :; } | each bare
of '^[df] .*/\.git$' | each nested
`;

async function runningFiles(jobs: JobParts, root: string): Promise<RunningFiles> {
  const printed = await runGitJob(jobs, {
    script: SEARCH,
    folders: [{ name: 'project', source: root, writable: false }],
    input: '',
  });
  const fields = printed.split('\0').slice(0, FOUND_MAX * 2);
  const files: Record<string, string> = {};
  if (printed.startsWith('part ') || fields.length >= FOUND_MAX * 2) files[NOT_SEARCHED] = '';
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, kind, path] = /^(\w+) project\/(.*)$/s.exec(fields[at] ?? '') ?? [];
    const value = fields[at + 1] ?? '';
    const text = kind === 'text' ? whatRuns(path ?? '', value) : value;
    if (path !== undefined && text !== '') files[path] = digest(`${kind} ${text}`);
  }
  return files;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
