import { detach } from '../../../hub/base/detach.js';
import type { Client } from '../../../hub/client/client.js';
import type { TreeId } from '../../../hub/protocol/node.js';
import { reasonOf } from '../../output/failure.js';
import type { Look } from '../../render/look/look.js';
import { type AgentRow, drawAgents, drawTurnText, turnTextHeight } from '../../render/screens/agents_page.js';
import { answerOf, type Confirmation, confirmationOf, getReady, questionRow } from '../editor/keys/confirmation.js';
import type { Key } from '../editor/keys/key.js';
import { createQuiet, type Quiet } from '../editor/keys/quiet.js';
import type { Taken } from '../editor/keys/typed_run.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Agent, type AgentList, createAgentList } from './agent_list.js';
import { readTurn, type TurnText } from './read_turn.js';

export interface AgentsPanel {
  take(key: Key): Taken;
  leave(): void;
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

/** The refresh interval of the open panel. */
const ASK_MS = 1_000;
const LIST_WORDS = 'j k choose  Enter read along  x stop it  q leave';
const READING_WORDS = 'j k scroll  G newest  x stop it  q back';

interface Panel {
  parts: AgentsParts;
  list: AgentList;
  agents: readonly Agent[];
  chosen: number;
  word: string | null;
  /** The turn that a `y` will stop. */
  stopping: Confirmation<Agent> | null;
  quiet: Quiet;
  reading: { text: TurnText; agent: Agent; top: number | null } | null;
  timer: NodeJS.Timeout | undefined;
  leave(): void;
}

/** Opens the list of running turns on the alternate screen, to read or stop them. */
export async function openAgents(parts: AgentsParts): Promise<AgentsPanel> {
  const { terminal, client, tree } = parts;
  let end: (left: null) => void = () => undefined;
  const left = new Promise<null>((resolve) => {
    end = resolve;
  });
  const panel: Panel = {
    ...{ parts, list: createAgentList(client, tree), agents: [], chosen: 0, word: null, stopping: null, reading: null },
    timer: undefined,
    quiet: createQuiet(),
    leave() {
      panel.quiet.stop();
      clearInterval(panel.timer);
      panel.reading?.text.stop();
      terminal.leaveScreen();
      end(null);
    },
  };
  await ask(panel);
  let isAsking = false;
  // One request at a time: an absent hub is not asked twice.
  const askAgain = (): void => {
    if (isAsking) return;
    isAsking = true;
    const asking = ask(panel).finally(() => {
      isAsking = false;
    });
    detach(asking, failureIn(panel));
  };
  // Closing does not wait for the request.
  panel.timer = setInterval(askAgain, ASK_MS).unref();
  terminal.enterScreen(({ columns, rows }) => draw(panel, { columns, rows }));
  return { end: left, take: (key) => take(panel, key), leave: panel.leave, changed: askAgain };
}

function failureIn(panel: Panel): (error: unknown) => void {
  return (error) => {
    panel.word = reasonOf(error);
    panel.parts.terminal.redrawScreen();
  };
}

/** The selected turn stays selected when the list changes. */
async function ask(panel: Panel): Promise<void> {
  const agents = await panel.list.ask();
  const turn = panel.agents[panel.chosen]?.turn;
  const place = agents.findIndex((one) => one.turn === turn);
  panel.agents = agents;
  panel.chosen = Math.max(0, place < 0 ? Math.min(panel.chosen, agents.length - 1) : place);
  panel.parts.terminal.redrawScreen();
}

function draw(panel: Panel, { columns, rows }: { columns: number; rows: number }) {
  const { parts, reading, agents, stopping } = panel;
  const word = stopping === null ? panel.word : questionRow(stopping);
  const look = parts.look(columns);
  if (reading !== null) {
    const page = {
      title: titleOf(reading.agent),
      rows: readingRows(reading, turnTextHeight(rows), look),
      word: word ?? READING_WORDS,
    };
    return drawTurnText(page, rows, look);
  }
  const running = agents.filter(({ isRunning }) => isRunning).length;
  const ended = agents.length - running;
  const title = running === 0 ? 'Nothing is running.' : `At work: ${running}.`;
  const more = ended === 0 ? '' : ` Ended: ${ended}.`;
  const shown = agents.map((agent) => rowOf(parts, agent));
  return drawAgents({ title: title + more, rows: shown, chosen: panel.chosen, word: word ?? LIST_WORDS }, rows, look);
}

/** The last rows, or those at the scroll position. */
function readingRows(reading: NonNullable<Panel['reading']>, height: number, look: Look): readonly string[] {
  const { rows, gone } = reading.text.rows(look);
  const last = Math.max(0, rows.length - height);
  const first = reading.top === null ? last : Math.max(0, Math.min(last, reading.top - gone));
  reading.top = first >= last ? null : first + gone;
  return rows.slice(first, first + height);
}

function titleOf({ task }: Agent): string {
  return task ?? 'your turn';
}

function rowOf({ nowMs }: AgentsParts, agent: Agent): AgentRow {
  const { activity, isRunning, model, task, tokens, priceMicrodollars, startedAtMs, endedAtMs } = agent;
  const elapsedMs = Math.max(0, (endedAtMs ?? nowMs()) - startedAtMs);
  return { activity, isRunning, model, task, tokens, priceMicrodollars, elapsedMs };
}

function take(panel: Panel, key: Key): Taken {
  panel.word = null;
  panel.quiet.stop();
  const taken = panel.stopping === null ? pressed(panel, key) : answered(panel, panel.stopping, key);
  const { stopping } = panel;
  getReady(panel.quiet, stopping, () => {
    panel.stopping = stopping === null ? null : { ...stopping, isReady: true };
    panel.parts.terminal.redrawScreen();
  });
  panel.parts.terminal.redrawScreen();
  return taken;
}

function pressed(panel: Panel, key: Key): Taken {
  const name = key.kind === 'key' ? key.name : key.text;
  const isLeaving =
    name === 'q' || name === 'i' || name === 'escape' || (key.kind === 'key' && key.ctrl && name === 'c');
  if (key.kind === 'paste') return 'unknown';
  if (isLeaving && panel.reading === null) panel.leave();
  else if (isLeaving) {
    panel.reading?.text.stop();
    panel.reading = null;
  } else if (name === 'enter') openTurn(panel);
  else if (name === 'x') askToStop(panel);
  else if (name in STEPS) move(panel, STEPS[name] ?? 0);
  else return 'unknown';
  return 'done';
}

function askToStop(panel: Panel): void {
  const chosen = panel.agents[panel.chosen];
  const open = panel.reading?.agent.turn;
  const agent = open === undefined ? chosen : panel.agents.find(({ turn }) => turn === open);
  if (agent === undefined) return;
  if (!agent.isRunning) {
    panel.word = agent.isAway ? 'Its hub cannot be asked now.' : 'It runs no more.';
    return;
  }
  panel.stopping = confirmationOf('Stop it?', agent);
}

function answered(panel: Panel, asking: Confirmation<Agent>, key: Key): Taken {
  const answer = answerOf(asking, key);
  if (answer === 'too_early') return 'done';
  panel.stopping = null;
  if (answer === 'yes') stop(panel, asking.action);
  return answer === 'text' ? 'unknown' : 'written';
}

function stop(panel: Panel, agent: Agent): void {
  panel.word = 'stopping…';
  const ending = async (): Promise<void> => {
    const { stopped } = await panel.parts.client.call('agent.stop', { turn: agent.turn });
    panel.word = stopped ? `Stopped: ${titleOf(agent)}` : 'It had ended before.';
    await ask(panel);
  };
  detach(ending(), failureIn(panel));
}

function openTurn(panel: Panel): void {
  const { parts, agents, chosen } = panel;
  const agent = agents[chosen];
  if (agent === undefined || panel.reading !== null) return;
  const { turn, tip, isElsewhere } = agent;
  const text = readTurn({ client: parts.client, turn, tip, isElsewhere, changed: () => parts.terminal.redrawScreen() });
  panel.reading = { text, agent, top: null };
}

const FAR = 1_000_000_000;
const STEPS: Readonly<Record<string, number>> = {
  ...{ j: 1, down: 1, k: -1, up: -1, pagedown: 20, pageup: -20, G: FAR, end: FAR, g: -FAR, home: -FAR },
};

function move(panel: Panel, step: number): void {
  const { reading, agents, parts } = panel;
  if (reading === null) {
    panel.chosen = Math.max(0, Math.min(panel.chosen + step, agents.length - 1));
    return;
  }
  const { columns, rows } = parts.terminal.size();
  const known = reading.text.rows(parts.look(columns));
  const last = Math.max(0, known.rows.length - turnTextHeight(rows)) + known.gone;
  reading.top = Math.max(0, (reading.top ?? last) + step);
}
