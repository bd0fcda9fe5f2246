import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstructionPlaces } from './instructions.js';
import { readSmallFile } from './small_file.js';

const SKILLS_MAX = 50;
const HEAD_BYTES_MAX = 4_096;
const DESCRIPTION_LENGTH_MAX = 300;

/** The skills of the project and of the person, a line each, in the order of their names; empty for none. */
export async function readSkillList({ project, home }: InstructionPlaces): Promise<string> {
  const found = await Promise.all([
    skillsIn(join(project, '.cognition', 'skills'), project),
    skillsIn(join(home, 'skills'), null),
  ]);
  const lines = found.flat().slice(0, SKILLS_MAX);
  if (lines.length === 0) return '';
  return ['# Skills', '', 'Read the file of a skill before you use it.', '', ...lines].join('\n');
}

async function skillsIn(folder: string, within: string | null): Promise<string[]> {
  const names = await readdir(folder).catch(() => []); // most projects have none
  const lines = await Promise.all(
    names
      .sort()
      .slice(0, SKILLS_MAX)
      .map((name) => lineFor(folder, name, within)),
  );
  return lines.filter((line) => line !== null);
}

async function lineFor(folder: string, name: string, within: string | null): Promise<string | null> {
  const path = join(folder, name, 'SKILL.md');
  const text = await readSmallFile(path, HEAD_BYTES_MAX, within);
  if (text === null) return null;
  const head = /^---\r?\n(.*?)\r?\n---/s.exec(text)?.[1] ?? '';
  const description = fieldOf(head, 'description') ?? '';
  return `- ${fieldOf(head, 'name') ?? name}: ${description.slice(0, DESCRIPTION_LENGTH_MAX)} (${path})`;
}

/** A field of the lines `name: value` at the top of a skill, on one line and without quotes around it. */
function fieldOf(head: string, field: string): string | null {
  const value = new RegExp(`^${field}:[ \\t]*(.*)$`, 'm').exec(head)?.[1];
  const text = value
    ?.replace(/^(["'])(.*)\1\s*$/, '$2')
    .replace(/\s+/g, ' ')
    .trim();
  return text === undefined || text === '' ? null : text;
}
