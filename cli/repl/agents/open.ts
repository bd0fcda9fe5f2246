import type { Client } from '../../../hub/client.js';
import type { ResultOf } from '../../../hub/protocol/methods.js';
import type { TreeId } from '../../../hub/protocol/node.js';
import { reasonOf } from '../../failure.js';
import { type AgentRow, alongHeight, drawAgents, drawAlong } from '../../render/agents_panel.js';
import type { Look } from '../../render/look.js';
import { wrapRows } from '../../render/wrap.js';
import type { Key } from '../editor/keys.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Along, readAlong } from './along.js';

type Running = ResultOf<'agent.status'>['turns'][number];

export interface AgentsPanel {
  take(key: Key): void;
  changed(): void;
  end: Promise<null>;
}

export interface AgentsParts {
  client: Client;
  tree: TreeId;
  terminal: Pick<Terminal, 'size' | 'enterScreen' | 'redrawScreen' | 'leaveScreen'>;
  look(columns: number): Look;
  nowMs(): number;
}

/** How often what runs is asked for, while the panel is open. */
const ASK_MS = 1_000;
/** Those that have ended stay in the list, as far as there is room. */
const ROWS_MAX = 200;
const LIST_WORDS = 'j k choose  Enter read along  q leave';
const ALONG_WORDS = 'j k scroll  G newest  q back';

interface Panel {
  parts: AgentsParts;
  turns: readonly Running[];
  ended: Set<string>;
  chosen: number;
  word: string | null;
  along: { read: Along; title: string; up: number } | null;
  timer: NodeJS.Timeout | undefined;
  leave(): void;
}

/** Opens the list of what runs, on the alternate screen; one of them can be read along. */
export async function openAgents(parts: AgentsParts): Promise<AgentsPanel> {
  const { terminal } = parts;
  let end: (left: null) => void = () => undefined;
  const left = new Promise<null>((resolve) => {
    end = resolve;
  });
  const panel: Panel = {
    ...{ parts, turns: [], ended: new Set(), chosen: 0, word: null, along: null, timer: undefined },
    leave() {
      clearInterval(panel.timer);
      panel.along?.read.stop();
      terminal.leaveScreen();
      end(null);
    },
  };
  await ask(panel);
  const askAgain = (): void => {
    ask(panel).catch((error: unknown) => {
      panel.word = reasonOf(error);
      terminal.redrawScreen();
    });
  };
  // Who is told to end does not wait for it.
  panel.timer = setInterval(askAgain, ASK_MS).unref();
  terminal.enterScreen(({ columns, rows }) => draw(panel, { columns, rows }));
  return { end: left, take: (key) => take(panel, key), changed: askAgain };
}

/** This conversation first: its turn, and below it the sub-sessions of that; then what others do. */
async function ask(panel: Panel): Promise<void> {
  const { client, tree, terminal } = panel.parts;
  const { turns } = await client.call('agent.status', {});
  const running = new Set(turns.map(({ turn }) => turn));
  const gone = panel.turns.filter(({ turn }) => !running.has(turn));
  for (const { turn } of gone) panel.ended.add(turn);
  const own = new Set([...turns, ...gone].filter((one) => one.tree === tree).map(({ turn }) => turn));
  const place = (one: Running): number => {
    if (one.tree === tree) return 0;
    return one.parent !== null && own.has(one.parent.turn) ? 1 : 2;
  };
  panel.turns = [...turns, ...gone].sort((a, b) => place(a) - place(b)).slice(0, ROWS_MAX);
  terminal.redrawScreen();
}

function draw(panel: Panel, { columns, rows }: { columns: number; rows: number }) {
  const { parts, along, turns, word } = panel;
  const look = parts.look(columns);
  if (along !== null) {
    const height = alongHeight(rows);
    const all = rowsOf(along.read.text(), look);
    along.up = Math.max(0, Math.min(along.up, all.length - height));
    const end = all.length - along.up;
    const page = { title: along.title, rows: all.slice(Math.max(0, end - height), end), word: ALONG_WORDS };
    return drawAlong(page, rows, look);
  }
  panel.chosen = Math.max(0, Math.min(panel.chosen, turns.length - 1));
  const title = turns.length === 0 ? 'Nothing is running.' : 'At work';
  const shown = turns.map((turn) => rowOf(panel, turn));
  return drawAgents({ title, rows: shown, chosen: panel.chosen, word: word ?? LIST_WORDS }, rows, look);
}

function rowsOf(text: string, look: Look): string[] {
  const lines = text.replace(/\n$/, '').replaceAll('\t', '    ').split('\n');
  return lines.flatMap((line) => wrapRows(line, Math.max(1, look.width - 1), look.ruler));
}

function rowOf({ parts, ended }: Panel, one: Running): AgentRow {
  const { usage, turn, model } = one;
  const input = usage === null ? 0 : usage.tokens_in + usage.tokens_cache_read + usage.tokens_cache_write_5m;
  const tokens = usage === null ? null : { in: input + usage.tokens_cache_write_1h, out: usage.tokens_out };
  const elsewhere = one.tree === parts.tree ? null : 'another conversation';
  return {
    ...{ activity: ended.has(turn) ? 'ended' : one.activity, model, tokens },
    task: one.parent === null ? elsewhere : (one.task ?? ''),
    elapsedMs: Math.max(0, parts.nowMs() - one.started_at_ms),
    priceMicrodollars: one.price_microdollars,
  };
}

function take(panel: Panel, key: Key): void {
  panel.word = null;
  const name = key.kind === 'key' ? key.name : key.text;
  const isLeaving =
    name === 'q' || name === 'i' || name === 'escape' || (key.kind === 'key' && key.ctrl && name === 'c');
  if (isLeaving && panel.along === null) panel.leave();
  else if (isLeaving) {
    panel.along?.read.stop();
    panel.along = null;
  } else if (name === 'enter') follow(panel);
  else move(panel, name);
  panel.parts.terminal.redrawScreen();
}

function follow(panel: Panel): void {
  const { parts, turns, chosen } = panel;
  const one = turns[chosen];
  if (one === undefined || panel.along !== null) return;
  const { turn, tip } = one;
  const read = readAlong({ client: parts.client, turn, tip, changed: () => parts.terminal.redrawScreen() });
  panel.along = { read, title: rowOf(panel, one).task ?? 'your turn', up: 0 };
}

const STEPS: Readonly<Record<string, number>> = {
  ...{ j: 1, down: 1, k: -1, up: -1, pagedown: 20, pageup: -20 },
  ...{ G: Number.MAX_SAFE_INTEGER, end: Number.MAX_SAFE_INTEGER },
  ...{ g: -Number.MAX_SAFE_INTEGER, home: -Number.MAX_SAFE_INTEGER },
};

function move(panel: Panel, name: string): void {
  const step = STEPS[name] ?? 0;
  if (panel.along === null) panel.chosen += step;
  else panel.along.up = Math.max(0, panel.along.up - step);
}
