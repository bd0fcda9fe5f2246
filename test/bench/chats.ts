import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type IPty, spawn } from 'node-pty';
import type { TreeId } from '../../hub/protocol/node.js';
import { PROGRAM } from '../support/cli.js';
import { connectTo, withHome } from '../support/hub.js';
import { streaming, withRawServer } from '../support/model/raw_server.js';
import { KEY } from '../support/model_server.js';
import { type Pace, writeDeltas } from './deltas.js';
import { median, type Row } from './row.js';
import { addFan, newTree } from './trees.js';

const ROUNDS = 15;
const TREE_NODES = 100_000;
const IDLE_MS = 5_000;
/** The engine has timers of its own; one of ours would show as one wake-up a second. */
const WAKES_MOST = 2;
/** The engine collects garbage once, some seconds after the last work. */
const SETTLED_MS = 15_000;
/** Rounds before the measurement, so that the chat's code is compiled. */
const WARM_UP = 200;
const PACES: (Pace & { most: number })[] = [
  { everyMs: 20, deltas: 600, most: 5 },
  { everyMs: 5, deltas: 2_000, most: 20 },
];
/** The share of a core while it shows 200 deltas a second. */
const SHARE_MOST = 25;
// The kernel's unit of processor time: USER_HZ is 100 on Linux.
const TICK_MS = 10;

/** Words that can be found on a screen, in paragraphs of one row, since a word over two rows cannot. */
const textOf = (number: number): string => `w${number};${number % 10 === 9 ? '\n\n' : ' '}`;

/** The cost of a chat on a terminal, and its latency. */
export function chatRows(): Promise<Row[]> {
  let speech: { pace: Pace; sentAtMs: number[] } | null = null;
  return withRawServer(
    (response) => {
      if (speech === null) throw new RangeError('nothing is to be said yet');
      writeDeltas(streaming(response), speech.sentAtMs, { ...speech.pace, textOf });
    },
    (origin) =>
      withHome(async (home) => {
        const client = await connectTo(home);
        const tree = await newTree(client);
        await addFan(client, tree, { count: TREE_NODES - 1, inFlight: 128 });
        const place = { home, origin, tree };
        const rows = [await promptRow(place)];
        if (process.platform === 'linux') rows.push(...(await idleRows(place)));
        for (const pace of PACES) {
          const sentAtMs: number[] = [];
          speech = { pace, sentAtMs };
          rows.push(...(await streamRows(place, pace, sentAtMs)));
        }
        await client.close();
        return rows;
      }),
  );
}

interface Place {
  home: string;
  origin: string;
  tree: TreeId;
}

interface OpenChat {
  pty: IPty;
  /** Resolves when this was written, with the time of its last piece. */
  wrote(text: string): Promise<number>;
  onWritten(listener: (bytes: string, atMs: number) => void): void;
}

async function withOpenChat<T>({ home, origin, tree }: Place, use: (chat: OpenChat) => Promise<T>): Promise<T> {
  const pty = spawn(process.execPath, [PROGRAM, 'chat', tree, '--at', 'root'], {
    ...{ name: 'xterm-256color', cols: 80, rows: 24, cwd: dirname(home) },
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: dirname(home), LANG: 'C.UTF-8', COGNITION_HOME: home },
      ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: origin, COGNITION_MODEL: 'anthropic/claude-sonnet-5' },
    },
  });
  let written = '';
  const listeners = new Set<(bytes: string, atMs: number) => void>();
  const ended = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  pty.onData((bytes) => {
    const atMs = performance.now();
    written += bytes;
    for (const listener of listeners) listener(bytes, atMs);
  });
  try {
    return await use({
      pty,
      onWritten: (listener) => listeners.add(listener),
      wrote: (text) =>
        new Promise((resolve) => {
          const look = (_: string, atMs: number): void => {
            if (!written.includes(text)) return;
            listeners.delete(look);
            resolve(atMs);
          };
          listeners.add(look);
          look('', performance.now());
        }),
    });
  } finally {
    pty.kill('SIGKILL');
    await ended;
  }
}

async function promptRow(place: Place): Promise<Row> {
  const tookMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await withOpenChat(place, async (chat) => tookMs.push((await chat.wrote('Say something')) - startedAt));
  }
  const what = `chat: launch → prompt, hub warm, ${TREE_NODES} nodes`;
  return {
    what,
    value: median(tookMs),
    unit: 'ms',
    budget: { most: 400 },
    from: `worst ${Math.max(...tookMs).toFixed(0)} ms`,
  };
}

/** The activity of an idle chat. */
function idleRows(place: Place): Promise<Row[]> {
  return withOpenChat(place, async ({ pty, wrote }) => {
    await wrote('Commands: /help');
    await wait(SETTLED_MS);
    const before = { ticks: ticksOf(pty.pid), wakes: wakesOf(pty.pid) };
    await wait(IDLE_MS);
    const [ticks, wakes] = [ticksOf(pty.pid) - before.ticks, wakesOf(pty.pid) - before.wakes];
    const from = `in ${IDLE_MS / 1_000} s`;
    return [
      { what: 'chat, idle: processor time', value: ticks * TICK_MS, unit: 'ms', budget: { most: 0 }, from },
      {
        what: 'chat, idle: times that its main thread woke up',
        value: wakes,
        unit: '×',
        budget: { most: WAKES_MOST },
        from,
      },
    ];
  });
}

/** The time from a model server's write of a delta to its arrival at the terminal, and the processor time it takes. */
function streamRows(
  place: Place,
  { everyMs, deltas, most }: (typeof PACES)[number],
  sentAtMs: number[],
): Promise<Row[]> {
  return withOpenChat(place, async ({ pty, wrote, onWritten }) => {
    const seenAtMs: number[] = [];
    let tail = '';
    onWritten((bytes, atMs) => {
      const text = tail + bytes;
      for (const [, number] of text.matchAll(/w(\d+);/g)) seenAtMs[Number(number)] ??= atMs;
      tail = text.slice(-16);
    });
    await wrote('Commands: /help');
    pty.write('hello\r');
    await wrote(`w${WARM_UP};`);
    const before = { ticks: ticksOf(pty.pid), atMs: performance.now() };
    const endedAtMs = await wrote(`w${deltas - 1};`);
    const share = ((ticksOf(pty.pid) - before.ticks) * TICK_MS * 100) / (endedAtMs - before.atMs);
    const tookMs = seenAtMs.slice(WARM_UP).map((atMs, index) => atMs - (sentAtMs[index + WARM_UP] ?? Number.NaN));
    const rate = `${1_000 / everyMs}/s`;
    const rows: Row[] = [latencyRow(`delta in → byte on the terminal of a chat, ${rate}, p99`, tookMs, most)];
    if (process.platform !== 'linux') return rows;
    const what = `chat: processor while it shows ${rate}, of a core`;
    return [
      ...rows,
      { what, value: share, unit: '%', budget: { most: SHARE_MOST }, from: `${deltas - WARM_UP} deltas` },
    ];
  });
}

function latencyRow(what: string, tookMs: readonly number[], most: number): Row {
  const sorted = [...tookMs].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const from = `median ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms, ${sorted.length} deltas`;
  return { what, value: at(0.99), unit: 'ms', budget: { most }, from };
}

/** The processor time of all threads of a process, in ticks. */
function ticksOf(pid: number): number {
  const [, , ...fields] = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ');
  // In user mode and in the kernel: the 14th and the 15th of the whole line, of which four are gone.
  return Number(fields[9]) + Number(fields[10]);
}

function wakesOf(pid: number): number {
  const [main] = readdirSync(`/proc/${pid}/task`);
  const status = readFileSync(`/proc/${pid}/task/${main}/status`, 'utf8');
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]);
}
