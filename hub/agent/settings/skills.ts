import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstructionFolders } from './instructions.js';
import { readSmallFile } from './read_small_file.js';

const SKILLS_MAX = 50;
const HEAD_BYTES_MAX = 4_096;
const DESCRIPTION_LENGTH_MAX = 300;

/** A skill, with its line in the system prompt. */
interface Skill {
  name: string;
  line: string;
}

/** The folders of skills; of two skills with the same name the first counts. */
function skillFolders({ project, home, userHome }: InstructionFolders): Folder[] {
  const ofProject = (name: string): Folder => ({ path: join(project, name, 'skills'), within: project });
  // The sandbox shows these folders of the person, and nothing that a link in them leads to.
  const ofPerson = (path: string): Folder => ({ path, within: path });
  return [
    ofProject('.cognition'),
    ofPerson(join(home, 'skills')),
    ofProject('.agents'),
    ofPerson(join(userHome, '.agents', 'skills')),
    ofProject('.claude'),
    ofPerson(join(userHome, '.claude', 'skills')),
  ];
}

interface Folder {
  path: string;
  within: string;
}

/** The skills of the project and of the person, a line each; empty for none. */
export async function readSkillList(folders: InstructionFolders): Promise<string> {
  const [home, userHome] = await Promise.all([realFolder(folders.home), realFolder(folders.userHome)]);
  const skills = await Promise.all(skillFolders({ ...folders, home, userHome }).map(skillsIn));
  const byName = new Map<string, string>();
  for (const { name, line } of skills.flat()) if (!byName.has(name)) byName.set(name, line);
  const lines = [...byName.values()].slice(0, SKILLS_MAX);
  if (lines.length === 0) return '';
  return ['# Skills', '', 'Read the file of a skill before you use it.', '', ...lines].join('\n');
}

/** The real path, as the sandbox has it. */
function realFolder(path: string): Promise<string> {
  return realpath(path).catch(() => path); // a missing folder has no skills
}

async function skillsIn({ path, within }: Folder): Promise<Skill[]> {
  const names = await readdir(path).catch(() => []); // most projects have none
  const skills = await Promise.all(
    names
      .sort()
      .slice(0, SKILLS_MAX)
      .map((name) => skillAt(join(path, name, 'SKILL.md'), name, within)),
  );
  return skills.filter((skill) => skill !== null);
}

async function skillAt(path: string, folder: string, within: string): Promise<Skill | null> {
  const text = await readSmallFile(path, HEAD_BYTES_MAX, within);
  if (text === null) return null;
  const head = /^---\r?\n(.*?)\r?\n---/s.exec(text)?.[1] ?? '';
  const description = fieldOf(head, 'description') ?? '';
  const name = fieldOf(head, 'name') ?? folder;
  return { name, line: `- ${name}: ${description.slice(0, DESCRIPTION_LENGTH_MAX)} (${path})` };
}

/** A field of the front matter, on one line and without quotes around it. */
function fieldOf(head: string, field: string): string | null {
  const value = new RegExp(`^${field}:[ \\t]*(.*)$`, 'm').exec(head)?.[1];
  const text = value
    ?.replace(/^(["'])(.*)\1\s*$/, '$2')
    .replace(/\s+/g, ' ')
    .trim();
  return text === undefined || text === '' ? null : text;
}
