// Stands for the program of an agent: it answers in lines that were recorded from the real ones (wire/*.jsonl), with ids, texts and
// sessions of its own put in. What it is told decides what it does: [[tool:command]], [[hang]], [[429]] and the like.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const FLOOD_BYTES = 12_000_000;

/** The recorded lines of an agent, by their kinds. */
export function recorded(name) {
  const text = readFileSync(new URL(`./wire/${name}.jsonl`, import.meta.url), 'utf8');
  const lines = new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => Object.values(JSON.parse(line))),
  );
  return (kind) => structuredClone(lines.get(kind) ?? fail(`nothing was recorded of ${kind}`));
}

function fail(words) {
  throw new Error(words);
}

export function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** What a task says between double brackets, such as `tool:ls`; what was said before is no order. */
export function orderIn(said) {
  const text = said.split('\n\n---\n\n').at(-1);
  const [, name = '', value = ''] = /\[\[([a-z0-9-]+):?([^\]]*)\]\]/.exec(text) ?? [];
  return { name, value };
}

/** The sessions that it keeps below its home, as a real one does. */
export const sessions = {
  folder: () => {
    const folder = join(process.env.HOME ?? '', '.stand-in');
    mkdirSync(folder, { recursive: true });
    return folder;
  },
  read(id) {
    const path = join(sessions.folder(), `${id}.json`);
    if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
    return readSeeded(id);
  },
  write(id, turns) {
    writeFileSync(join(sessions.folder(), `${id}.json`), JSON.stringify(turns));
  },
};

/** A session that was written in the form of Claude Code. */
function readSeeded(id) {
  const projects = join(process.env.HOME ?? '', '.claude', 'projects');
  const folders = existsSync(projects) ? readdirSync(projects) : [];
  const file = folders.map((folder) => join(projects, folder, `${id}.jsonl`)).find((path) => existsSync(path));
  if (file === undefined) return null;
  const records = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return records
    .filter(({ type }) => type === 'user' || type === 'assistant')
    .map(({ uuid, type, message }) => ({ id: uuid, role: type, text: textOf(message.content) }));
}

function textOf(content) {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

/** What it answers: all that it knows of the person's words, so that one sees what it was told. */
export function replyTo(turns) {
  return `heard: ${turns.map(({ role, text }) => (role === 'user' ? text : `<${text.slice(0, 200)}>`)).join(' | ')}`;
}

export function run(command) {
  const { stdout, stderr, status } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
  return { output: `${stdout}${stderr}`, code: status ?? 1 };
}

/** Leaves a process behind that leads a group of its own. */
export function leaveChild() {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  child.unref();
  return child.pid;
}

/** Calls back with each line of the standard input. */
export function onLines(take, end) {
  let held = '';
  process.stdin.setEncoding('utf8').on('data', (text) => {
    held += text;
    const lines = held.split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) take(JSON.parse(line));
  });
  process.stdin.on('end', end);
}

export { randomUUID };
