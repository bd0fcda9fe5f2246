// The input fields that identify a call, in order of preference.
const TELLING_FIELDS = ['command', 'path', 'url', 'query', 'task', 'question', 'job'];

/** The title of a tool call: its command, path, address, query, task, question or job, else all of its input. */
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
