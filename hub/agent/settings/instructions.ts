import type { ProjectContent } from '../tools/project_folders.js';

const HEAD = '# Instructions from ';

/** The files whose instructions stand in a system prompt. */
export function instructionsIn(systemPrompt: string): string[] {
  return systemPrompt.split('\n').flatMap((line) => (line.startsWith(`${HEAD}/`) ? [line.slice(HEAD.length)] : []));
}

/** Instructions as a system prompt has them; empty for none. */
export function instructionsText({ instructions }: ProjectContent): string {
  return instructions.map(({ path, text }) => `${HEAD}${path}\n\n${withoutHeads(text)}`).join('\n\n');
}

/** No line within a file passes for the head of another one. */
function withoutHeads(text: string): string {
  return text.replaceAll(/^# Instructions from /gm, ' $&');
}

/** The list of skills in a system prompt; empty for none. */
export function skillsText({ skills }: ProjectContent): string {
  if (skills.length === 0) return '';
  const lines = skills.map(({ name, description, path }) => `- ${name}: ${description} (${path})`);
  return ['# Skills', '', 'Read the file of a skill before you use it.', '', ...lines].join('\n');
}

/** What a model cannot see from where it is. At the end of a prompt, because what stands before it is the same on another day. */
export function environmentText({ cwd, environment }: ProjectContent): string {
  if (environment === null) return '';
  const { date, system, branch } = environment;
  const lines = [`Date: ${date}`, `Folder: ${cwd}`, `System: ${system}; commands are run by bash`];
  return ['# Environment', '', ...lines, `Git branch: ${branch ?? 'none, this is no repository'}`].join('\n');
}
