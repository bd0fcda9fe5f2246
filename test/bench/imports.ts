import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from '../support/cli.js';
import { withHome } from '../support/hub.js';
import type { Row } from './row.js';

const TURNS = 12;
const PROJECTS = 50;
/** A request as Claude Code keeps it beside each turn. */
const BLOB = { type: 'api-request-blob', data: 'the request as it was sent, with its tools. '.repeat(1_500) };
const OUTPUT = 'a line of what a command printed\n'.repeat(60);
const POLL_MS = 50;

/** How long the sessions of Claude Code take to import, and how much memory. */
export function importRows({ isLarge }: { isLarge: boolean }): Promise<Row[]> {
  const sessions = isLarge ? 5_000 : 250;
  return withHome(async (home) => {
    const person = join(home, '..', 'person');
    const bytes = writeSessions(join(person, '.claude', 'projects'), sessions);
    const from = `${(bytes / 1e6).toFixed(0)} MB in ${sessions} sessions`;
    const env = { PATH: process.env.PATH ?? '', HOME: person, COGNITION_HOME: home };
    const first = await run(env);
    const second = await run(env);
    return [
      { what: `import --from claude, ${sessions} sessions`, value: first.ms, unit: 'ms', budget: null, from },
      { what: 'the same, its memory', value: first.megabytes, unit: 'MB', budget: { most: 250 }, from },
      { what: 'the same again', value: second.ms, unit: 'ms', budget: null, from: 'nothing has changed' },
    ];
  });
}

function writeSessions(folder: string, sessions: number): number {
  let bytes = 0;
  for (let index = 0; index < sessions; index += 1) {
    const project = join(folder, `-srv-p${index % PROJECTS}`);
    mkdirSync(project, { recursive: true });
    const session = randomUUID();
    const text = sessionText(session, `/srv/p${index % PROJECTS}`, index);
    writeFileSync(join(project, `${session}.jsonl`), text);
    bytes += text.length;
  }
  return bytes;
}

function sessionText(sessionId: string, cwd: string, index: number): string {
  const lines: object[] = [];
  let parentUuid: string | null = null;
  const add = (type: string, message: object): void => {
    const uuid = randomUUID();
    const atMs = Date.UTC(2026, 0, 1) + index * 60_000 + lines.length;
    const fields = { parentUuid, isSidechain: false, type, message, uuid, cwd, sessionId, version: '2.1.326' };
    lines.push({ ...fields, timestamp: new Date(atMs).toISOString() });
    parentUuid = uuid;
  };
  for (let turn = 0; turn < TURNS; turn += 1) {
    const id = `toolu_${index}_${turn}`;
    add('user', { role: 'user', content: [{ type: 'text', text: `question ${turn} of session ${index}` }] });
    lines.push(BLOB);
    const call = { type: 'tool_use', id, name: 'Bash', input: { command: `cat file${turn}` } };
    add('assistant', { id: `msg_${index}_${turn}`, role: 'assistant', model: 'm', content: [call] });
    add('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: OUTPUT }] });
    add('assistant', {
      id: `end_${index}_${turn}`,
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: OUTPUT }],
    });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

async function run(env: Record<string, string>): Promise<{ ms: number; megabytes: number }> {
  const words = [PROGRAM, 'import', '--from', 'claude', '--every-project', '--json'];
  const startedAt = performance.now();
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  let kilobytes = 0;
  const timer = setInterval(() => {
    kilobytes = Math.max(kilobytes, peakOf(child.pid ?? 0));
  }, POLL_MS);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`the import ends with ${code}`);
  return { ms: performance.now() - startedAt, megabytes: kilobytes / 1_000 };
}

/** The most memory that a process has had, as far as the kernel still knows it. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // it has just ended
  }
}
