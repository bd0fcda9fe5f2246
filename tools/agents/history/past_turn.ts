/** A turn of a path as another agent is told it. */
export interface PastTurn {
  role: 'user' | 'assistant';
  text: string;
  /** What an assistant called, each with its result. */
  calls: readonly PastCall[];
  atMs: number;
}

export interface PastCall {
  id: string;
  tool: string;
  input: unknown;
  output: string;
  failed: boolean;
}

export interface SeedPlace {
  /** The folder in which the agent will work: most keep their sessions by it. */
  cwd: string;
  /** A fresh UUID for each call. */
  newId(): string;
  model: string | null;
  version: string | null;
}

/** A session in the form of an agent: a file, which it finds by the id, or is given. */
export interface SeededSession {
  session: string;
  /** The names that lead to the file in the folder where that agent keeps its sessions. */
  names: readonly [string, ...string[]];
  text: string;
}

/** The id of a call as every server takes it, and no other call of the session has it. */
export function freshCallId(place: SeedPlace): string {
  return `call_${place.newId().replaceAll('-', '').slice(0, 24)}`;
}

/** The name of a tool as every server takes it. */
export function toolName(tool: string): string {
  return tool.replace(/[^\w-]/g, '_').slice(0, 64) || 'tool';
}

/** The input of a call as every server takes it, which is an object. */
export function objectInput(input: unknown): object {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input };
}

const TIME_MAX = 8.64e15;

export function isoTime(atMs: number): string {
  return new Date(Math.min(atMs, TIME_MAX)).toISOString();
}

/** Lines of JSON. */
export function jsonLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
