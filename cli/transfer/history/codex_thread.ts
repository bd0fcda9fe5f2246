import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { HubError } from '../../../hub/base/error.js';
import { VERSION } from '../../../hub/config/config.js';
import { field, jsonOrText, textField } from '../../../tools/agents/history/json_fields.js';
import { splitLines } from '../../files/split_lines.js';
import { notStarted } from './run_program.js';

const PROGRAM = 'codex';
const TIME_MS_MAX = 60_000;

/** Starts a thread of Codex that has these items, and returns its id. Only Codex itself knows where it keeps it. */
export async function injectIntoCodex(items: readonly object[], cwd: string): Promise<string> {
  const child = spawn(PROGRAM, ['app-server'], { cwd, stdio: ['pipe', 'pipe', 'ignore'], timeout: TIME_MS_MAX });
  const failed = once(child, 'error').then(([error]) => Promise.reject(notStarted(PROGRAM, error)));
  child.stdin.on('error', () => undefined); // what it does not read, it does not answer
  const send = (message: object): boolean => child.stdin.write(`${JSON.stringify(message)}\n`);
  const lines = splitLines(child.stdout);
  const answer = async (id: number): Promise<unknown> => {
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      const message = jsonOrText(line.value);
      if (field(message, 'id') === id && field(message, 'method') === undefined) return resultIn(message);
    }
    throw new HubError('unreachable', 'codex app-server ended before it answered');
  };
  const work = async (): Promise<string> => {
    const clientInfo = { name: 'cognition', title: 'cognition', version: VERSION };
    send({ id: 0, method: 'initialize', params: { clientInfo } });
    await answer(0);
    send({ method: 'initialized' });
    send({ id: 1, method: 'thread/start', params: { cwd } });
    const threadId = textField(await answer(1), 'thread', 'id');
    if (threadId === null) throw new HubError('unreachable', 'codex app-server started no thread');
    send({ id: 2, method: 'thread/inject_items', params: { threadId, items } });
    await answer(2);
    return threadId;
  };
  try {
    return await Promise.race([work(), failed]);
  } finally {
    child.stdin.end();
    child.kill();
  }
}

function resultIn(message: unknown): unknown {
  const error = textField(message, 'error', 'message');
  if (error !== null) throw new HubError('rejected', `codex app-server refused it: ${error}`);
  return field(message, 'result');
}
