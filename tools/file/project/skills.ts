import { type Dir, opendirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { MachinePaths } from '../../base/tool_parts.js';
import { skillFoldersOf } from '../../policy/path_rules.js';
import { attempt, type PinnedEntry } from '../../walk/pinned_folder.js';
import { type Root, resolveBelow, withRoot } from '../../walk/resolve_below.js';
import { frontMatterText } from './front_matter.js';
import { readText } from './project_text.js';

type Skill = ResultOf<'file.project_read'>['skills'][number];

const SKILLS_MAX = 50;
const NAMES_MAX = 5_000;
const HEAD_BYTES_MAX = 16_384;
const DESCRIPTION_LENGTH_MAX = 1_024;
const OF_PROJECT = ['.cognition/skills', '.agents/skills', '.claude/skills'];

/** The skills of a project and of the person, a folder of the one before its like of the other; of two with a name the first counts. */
export function readSkills(project: Root, machine: MachinePaths): Skill[] {
  const byName = new Map<string, Skill>();
  const ofPerson = skillFoldersOf(machine);
  for (const [index, folder] of OF_PROJECT.entries()) {
    // The sandbox shows the person's folders, and nothing that a link in them leads to.
    const own = withRoot(ofPerson[index] ?? '', (root) => skillsIn(root, '', machine)) ?? [];
    for (const skill of [...skillsIn(project, folder, machine), ...own]) {
      if (!byName.has(skill.name)) byName.set(skill.name, skill);
    }
  }
  return [...byName.values()].slice(0, SKILLS_MAX);
}

function skillsIn(root: Root, folder: string, machine: MachinePaths): Skill[] {
  const found = resolveBelow(root, { path: folder, held: root.path }, (entry) => namesIn(entry));
  if (found.kind !== 'found') return [];
  return found.value
    .sort()
    .slice(0, SKILLS_MAX)
    .flatMap((name) => skillAt(root, join(root.path, folder, name), machine));
}

/** The names in a folder that stand on one line. */
export function namesIn({ at, stats }: PinnedEntry): string[] {
  const folder: Dir | null = stats.isDirectory() ? attempt(() => opendirSync(at)) : null;
  if (folder === null) return [];
  const names: string[] = [];
  try {
    for (let entry = folder.readSync(); entry !== null && names.length < NAMES_MAX; entry = folder.readSync()) {
      if (!/\p{Cc}/u.test(entry.name)) names.push(entry.name);
    }
    return names;
  } finally {
    folder.closeSync();
  }
}

function skillAt(root: Root, folder: string, machine: MachinePaths): Skill[] {
  const path = join(folder, 'SKILL.md');
  const request = { root, path: relative(root.path, path), held: root.path, bytesMax: HEAD_BYTES_MAX, machine };
  const page = readText({ ...request, refused: new Set() })?.text;
  if (page === undefined) return [];
  const name = frontMatterText(page, 'name') ?? relative(join(folder, '..'), folder);
  return [{ name, description: shortened(frontMatterText(page, 'description') ?? ''), path }];
}

function shortened(description: string): string {
  if (description.length <= DESCRIPTION_LENGTH_MAX) return description;
  return `${description.slice(0, DESCRIPTION_LENGTH_MAX - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
