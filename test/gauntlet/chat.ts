import { readFileSync } from 'node:fs';
import { KEYS, type TestTerminal } from '../support/terminal.js';
import { randomFrom } from './extent.js';

/** A long chat on a terminal, and what was said in it. */
interface Life {
  terminal: TestTerminal;
  random: () => number;
  /** A number for each action, to tell them apart. */
  next(): number;
  /** The messages that the trees must hold. */
  said: string[];
  done: Map<string, number>;
}

export interface Lived {
  said: string[];
  done: Record<string, number>;
  /** The memory of the process after the first hundred turns, and at the end. */
  memory: { earlyBytes: number; lateBytes: number };
  /** Temporary rows that stayed on the screen: the window was resized just as they were drawn for the old size. */
  left: number;
}

const WORKING = /^(working \d|stopping)/;
const TURNS_WARM = 100;
const COMMON_SIZE = { columns: 80, rows: 24 };

type Action = readonly [name: string, share: number, act: (life: Life) => Promise<void>];

const TURNS: readonly Action[] = [
  ['talk', 6, talk],
  ['work', 6, work],
  ['long answer while the window changes', 3, speakWhileResized],
  ['stop', 1, stopInTheMiddle],
  ['steer', 2, steer],
  ['pasted message', 1, paste],
];

const BETWEEN: readonly Action[] = [
  ['/fork', 30, (life) => command(life, '/fork')],
  ['/back', 30, (life) => command(life, `/back ${1 + Math.floor(life.random() * 5)}`)],
  ['/branches and /switch', 20, (life) => commands(life, '/branches', '/switch 1')],
  ['/leaves and /switch', 20, (life) => commands(life, '/leaves', `/switch ${1 + Math.floor(life.random() * 3)}`)],
  ['!command', 30, shell],
  ['resize', 30, resize],
  ['editing', 20, edit],
  ['reading', 15, read],
  ['navigator', 15, navigate],
  ['/mark', 10, (life) => command(life, `/mark place-${life.next()}`)],
  ['/tree', 3, (life) => command(life, '/tree')],
  ['/context', 3, (life) => command(life, '/context')],
  ['/new', 1, (life) => command(life, '/new')],
];

/** Runs a chat for that many turns, with other actions between them. */
export async function liveInChat(
  terminal: TestTerminal,
  { seed, count }: { seed: number; count: number },
): Promise<Lived> {
  let last = 0;
  const life: Life = {
    ...{ terminal, random: randomFrom(seed), said: [], done: new Map() },
    next: () => {
      last += 1;
      return last;
    },
  };
  await terminal.waitFor('Commands: /help');
  let earlyBytes = Number.NaN;
  for (let turn = 0; turn < count; turn += 1) {
    await doOne(life, TURNS);
    if (life.random() < 0.7) await doOne(life, BETWEEN);
    if (turn === Math.min(TURNS_WARM, Math.floor(count / 2))) earlyBytes = memoryBytes(terminal.pid);
  }
  terminal.resize(COMMON_SIZE.columns, COMMON_SIZE.rows);
  await command(life, '/branches');
  const memory = { earlyBytes, lateBytes: memoryBytes(terminal.pid) };
  const left = terminal.transcript().filter((row) => WORKING.test(row)).length;
  return { said: life.said, done: Object.fromEntries(life.done), memory, left };
}

async function doOne(life: Life, actions: readonly Action[]): Promise<void> {
  const { terminal, done } = life;
  const [name, , act] = chosen(life, actions);
  try {
    await act(life);
  } catch (cause) {
    throw new Error(`${name} came to no end, after ${JSON.stringify(Object.fromEntries(done))}`, { cause });
  }
  if (terminal.modes().alternate) throw new Error(`after ${name} the terminal is not as it was`);
  done.set(name, (done.get(name) ?? 0) + 1);
}

function chosen({ random }: Life, actions: readonly Action[]): Action {
  const bag = actions.flatMap((action) => Array.from({ length: action[1] }, () => action));
  const action = bag[Math.floor(random() * bag.length)];
  if (action === undefined) throw new RangeError('there is nothing to do');
  return action;
}

/** The output to the terminal from now on. */
function fromNow({ terminal }: Life): (wanted: string) => Promise<unknown> {
  const start = terminal.raw().length;
  return (wanted) => terminal.waitFor(() => terminal.raw().indexOf(wanted, start) >= 0);
}

/** Resolves when no turn runs, by the status above the input. */
async function idle({ terminal }: Life): Promise<void> {
  await terminal.waitFor((screen) => {
    const above = screen.slice(
      0,
      screen.findLastIndex((row) => row.startsWith('> ')),
    );
    const told = above.findLast((row) => !row.startsWith('  waits:')) ?? '';
    return !WORKING.test(told);
  });
}

async function send(life: Life, message: string): Promise<void> {
  life.said.push(message);
  life.terminal.type(message, KEYS.enter);
}

async function talk(life: Life): Promise<void> {
  const answered = fromNow(life);
  await send(life, `hello, this is number ${life.next()}`);
  await answered('I cannot answer that.');
  await idle(life);
}

/** The answer has a number that the message does not have. */
async function work(life: Life): Promise<void> {
  const number = life.next();
  const answered = fromNow(life);
  await send(life, `please run \`echo $((${number} + 1000000))\``);
  await answered(String(number + 1_000_000));
  await answered('says:');
  await idle(life);
}

async function speakWhileResized(life: Life): Promise<void> {
  const answered = fromNow(life);
  await send(life, 'demo: words 400');
  await answered('word2');
  await resize(life);
  await resize(life);
  await idle(life);
}

async function stopInTheMiddle(life: Life): Promise<void> {
  const shown = fromNow(life);
  await send(life, 'please run `sleep 600`');
  await shown('[bash] sl');
  // Sent alone: together with the next key it would be another key.
  life.terminal.type(KEYS.escape);
  await shown('Go on with: /retry');
  await idle(life);
}

async function steer(life: Life): Promise<void> {
  const answered = fromNow(life);
  await send(life, 'demo: words 4000');
  await answered('word9');
  const steering = `by the way, number ${life.next()}`;
  await send(life, steering);
  await answered('I cannot answer that.');
  await idle(life);
}

async function paste(life: Life): Promise<void> {
  const number = life.next();
  const answered = fromNow(life);
  const lines = [`these are the lines of ${number}`, 'the second', 'the third'];
  life.said.push(lines.join('\n'));
  life.terminal.paste(lines.join('\n'));
  life.terminal.type(KEYS.enter);
  await answered('I cannot answer that.');
  await idle(life);
}

async function shell(life: Life): Promise<void> {
  const number = life.next();
  const printed = fromNow(life);
  life.terminal.type(`!echo $((${number} + 2000000))`, KEYS.enter);
  await printed(String(number + 2_000_000));
}

async function resize({ terminal, random }: Life): Promise<void> {
  terminal.resize(20 + Math.floor(random() * 140), 6 + Math.floor(random() * 45));
}

/** Types a text, moves in it and discards it. */
async function edit(life: Life): Promise<void> {
  const { terminal } = life;
  const shown = fromNow(life);
  terminal.type(
    '数据 👩‍👩‍👧 half a sentence',
    KEYS.control('a'),
    KEYS.right,
    KEYS.up,
    KEYS.down,
    KEYS.control('u'),
    KEYS.control('k'),
  );
  terminal.type(KEYS.control('e'), KEYS.control('u'), KEYS.control('k'));
  await command(life, '/help quit');
  // In a narrow window the sentence continues in the next rows.
  await shown('leave;');
}

/** Opens the viewer and returns. */
async function read({ terminal }: Life): Promise<void> {
  terminal.type(KEYS.escape);
  await terminal.waitFor(() => terminal.modes().alternate);
  terminal.type('k', '[', KEYS.enter, 'G', 'q');
  await terminal.waitFor(() => !terminal.modes().alternate);
}

/** Opens the navigator and returns to the same position. */
async function navigate({ terminal }: Life): Promise<void> {
  terminal.type(KEYS.escape);
  await terminal.waitFor(() => terminal.modes().alternate);
  terminal.type(' ', 't');
  await terminal.waitFor(/^Enter go/m);
  terminal.type('j', 'h', 'k', 'q');
  await terminal.waitFor(/NORMAL|INSERT/);
  if (terminal.modes().alternate) terminal.type('q');
  await terminal.waitFor(() => !terminal.modes().alternate);
}

async function commands(life: Life, ...lines: string[]): Promise<void> {
  for (const line of lines) await command(life, line);
}

/** An unknown command is refused once all before it is done. */
async function command(life: Life, line: string): Promise<void> {
  const refused = fromNow(life);
  const unknown = `/zz${life.next()}`;
  life.terminal.type(line, KEYS.enter, unknown, KEYS.enter);
  await refused(`there is no command ${unknown}`);
}

/** The resident memory of a process. */
function memoryBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1_024;
}
