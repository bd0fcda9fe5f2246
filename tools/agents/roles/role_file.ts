import * as z from 'zod';

const RoleTool = z.enum(['read', 'write', 'bash']);
export type RoleTool = z.infer<typeof RoleTool>;

/** A role's own file: its words, and what stands above them between two lines of dashes. */
export interface RoleFile {
  instructions: string;
  /** Null where it does not say. */
  tools: RoleTool[] | null;
  minutes: number | null;
}

const FRONT = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const MINUTES_MAX = 10_080;

/** Reads `tools: read, bash` and `minutes: 20`; what it does not understand is an error in words. */
export function readRoleFile(text: string): RoleFile | { problem: string } {
  const [front = '', lines = ''] = FRONT.exec(text) ?? [];
  let tools: RoleTool[] | null = null;
  let minutes: number | null = null;
  for (const line of lines.split('\n').filter((one) => one.trim() !== '')) {
    const [, name = '', value = ''] = /^\s*([a-z]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === 'tools') {
      const named = z
        .array(RoleTool)
        .min(1)
        .safeParse(value.split(/[\s,]+/).filter((one) => one !== ''));
      if (!named.success)
        return { problem: `tools are read, write and bash, not ${JSON.stringify(value.slice(0, 100))}` };
      tools = named.data;
    } else if (name === 'minutes') {
      minutes = Number(value);
      if (!(minutes > 0 && minutes <= MINUTES_MAX)) return { problem: `minutes is a number up to ${MINUTES_MAX}` };
    } else return { problem: `${JSON.stringify(line.trim().slice(0, 100))} is neither tools nor minutes` };
  }
  return { instructions: text.slice(front.length), tools, minutes };
}
