// What tells a call from others, in the order in which it is looked for.
const TELLING_FIELDS = ['command', 'path', 'url', 'query', 'task', 'question'];

/** What a person would call a call of a tool: its command, path, address, query, task or question, else all of its input. */
export function callText(input: unknown): string {
  if (typeof input === 'string') return input;
  if (input !== null && typeof input === 'object') {
    for (const field of TELLING_FIELDS) {
      const value: unknown = Reflect.get(input, field);
      if (typeof value === 'string') return value;
    }
  }
  return JSON.stringify(input);
}
