import type { TestAgent } from '../../../support/turns.js';
import { processesWith } from '../../../tools/bash/processes.js';
import { call } from '../turn/turn_calls.js';

/** A server that says when it listens, what it is asked, and is known by its mark. */
export function serverCode(mark: string, port: number): string {
  const script = `require('http').createServer((q, a) => { console.log('asked', q.url); a.end('served ' + q.url); }).listen(${port}, '127.0.0.1', () => console.log('listens'))`;
  return `exec ${process.execPath} -e "${script}" ${mark}`;
}

/** A command that asks it. */
export function askServer(port: number, path: string): string {
  return `${process.execPath} -e "fetch('http://127.0.0.1:${port}${path}').then((r) => r.text()).then(console.log, () => console.log('refused'))"`;
}

export const bash = (id: string, input: object) => call(id, 'bash', input);

/** A text that is in the words of one test's processes, and in no others. */
export function markOf({ tree }: Pick<TestAgent, 'tree'>): string {
  return `job-of-${tree}`;
}

export function isAlive(mark: string): boolean {
  return processesWith(mark).length > 0;
}
