import { detach, neverFails } from '../../../hub/base/detach.js';
import type { AgentId, ExchangeEnd } from '../../../hub/protocol/outside_agent.js';
import { sha256Of } from '../../base/sha256.js';
import type { AgentStart } from '../agent_cli.js';
import { faultOf } from '../fault.js';
import { homeSeen } from '../process/agent_folders.js';
import { startProcess } from '../process/agent_process.js';
import { removeHomeFiles, writeHomeFiles } from '../process/home_files.js';
import { planLaunch } from '../process/launch.js';
import type { ExchangeListener } from './exchange_listener.js';
import type { AgentExchange, ExchangeParts } from './exchange_parts.js';
import { type ChosenOpening, goOn, ownSession, tellAsText, tellHistory } from './first_words.js';
import { writeRecord } from './run_records.js';
import { type Speaker, startSpeaker } from './speaker.js';

/** How long a program may take to take a session in. */
const TAKE_IN_MS_MAX = 120_000;

/** Speaks in the agent's own session where that knows the path, else in a new one that is told it. */
export async function speakUntilEnd(
  parts: ExchangeParts,
  exchange: AgentExchange,
  listener: ExchangeListener,
): Promise<ExchangeEnd> {
  const { cli, path, params, version } = exchange;
  const speaking = { parts, exchange, listener };
  const isLost = ({ fault }: ExchangeEnd): boolean => fault?.kind === 'session_lost' && exchange.run.calls() === 0;
  const own = ownSession(path.before, cli);
  if (own?.session != null) await parts.kept.freed(own.session);
  const tip = own?.session == null ? null : parts.tips.read(cli.name, own.session);
  const opening = own === null ? null : goOn(own, cli, tip);
  if (own !== null && opening !== null) {
    const known = { opening, said: path.task, files: {}, takeIn: null, remark: null };
    const isSettled = parts.clock() - own.endedAtMs >= (cli.resumesAfterMs ?? 0);
    const end = await speak(speaking, known, isSettled);
    if (end !== null && !isLost(end)) return end;
  }
  const place = { cwd: params.cwd, newId: parts.newId, model: params.model, version };
  const told = tellHistory(path, cli, place);
  const seeded = await speak(speaking, told, true);
  if (seeded !== null && !(told.opening.kind === 'resume' && isLost(seeded))) return seeded;
  const lost: ExchangeEnd = {
    kind: 'ended',
    session: null,
    at: null,
    text: '',
    fault: faultOf(cli, 'session_lost', ''),
  };
  return (await speak(speaking, tellAsText(path, cli), true)) ?? seeded ?? lost;
}

interface Speaking {
  parts: ExchangeParts;
  exchange: AgentExchange;
  listener: ExchangeListener;
}

/** One exchange; null where it cannot begin so: only in a process that waits, or not taken in. */
async function speak(speaking: Speaking, chosen: ChosenOpening, mayStart: boolean): Promise<ExchangeEnd | null> {
  const { opening, said, files, remark } = chosen;
  const { parts, exchange, listener } = speaking;
  const { place } = exchange;
  writeHomeFiles(place.folders.home, files);
  const start = startOf(exchange, opening);
  const waiting = opening.kind === 'resume' ? parts.kept.take(keyOf(exchange, opening.session)) : null;
  if (waiting !== null) return speakWith(speaking, waiting, said);
  if (!mayStart) return null;
  if (!(await takeFilesIn(speaking, start, chosen))) return null;
  if (remark !== null) listener.onEvent({ kind: 'noted', text: remark });
  return speakWith(speaking, await startFor(speaking, start), said);
}

/** Has the program take the files of a session in; false when it does not. */
async function takeFilesIn(
  { parts, exchange: { place, params } }: Speaking,
  start: AgentStart,
  { files, takeIn }: ChosenOpening,
): Promise<boolean> {
  if (takeIn === null) return true;
  const { folders } = place;
  const words = takeIn(homeSeen(folders, params.policy));
  const plan = await planLaunch(parts, place, { words, start });
  const deaf = { message: () => undefined, noise: () => undefined, heard: () => undefined };
  const process = await startProcess({ ...plan, isLive: false }, deaf);
  const timer = setTimeout(() => detach(process.end(), neverFails), TAKE_IN_MS_MAX);
  const { code } = await process.ended;
  clearTimeout(timer);
  removeHomeFiles(folders.home, Object.keys(files));
  return code === 0;
}

/** One exchange with a process, which is kept for the next one or ended. */
async function speakWith(
  { parts, exchange, listener }: Speaking,
  speaker: Speaker,
  said: string,
): Promise<ExchangeEnd> {
  const { params, context, record } = exchange;
  listener.onSpeaker(speaker);
  record.markers.push(speaker.marker);
  writeRecord(parts.runs, record);
  const limits = { timeMs: exchange.timeMs, idleMs: params.idle_ms, signal: context.signal };
  const free = parts.kept.use(speaker);
  try {
    const end = await speaker.exchange(said, limits, listener.onEvent);
    // Before another may ask where the session stands.
    if (end.session !== null) parts.tips.write(exchange.cli.name, end.session, params.id);
    await dismiss(parts, speaker, { end, exchange });
    return end;
  } finally {
    free();
  }
}

async function startFor({ parts, exchange: { place, record } }: Speaking, start: AgentStart): Promise<Speaker> {
  const { transport } = place.cli;
  const plan = await planLaunch(parts, place, { words: transport.arguments(start), start });
  // Before it starts: whoever finds the record finds its processes.
  writeRecord(parts.runs, { ...record, markers: [...record.markers, plan.marker] });
  return startSpeaker(place.cli, start, plan);
}

/** Keeps a process whose exchange has ended well, and ends any other. */
async function dismiss(
  { kept }: ExchangeParts,
  speaker: Speaker,
  { end, exchange }: { end: ExchangeEnd; exchange: AgentExchange },
): Promise<void> {
  const isSound = end.fault === null || ['cancelled', 'rate_limited', 'overloaded'].includes(end.fault.kind);
  if (speaker.isAlive() && isSound && end.session !== null) {
    kept.keep(keyOf(exchange, end.session), speaker);
  } else await speaker.end();
}

/** All that a process was started with, the configuration of its agent included: another exchange can have it only for the same. */
function keyOf(exchange: AgentExchange, session: AgentId): string {
  const { params, instance, cli, place } = exchange;
  const { agent, model, role, role_description, level, cwd, project, policy, environment, turns_max } = params;
  const all = [session, agent, model, role, role_description, level, cwd, project, policy, environment, turns_max];
  const start = startOf(exchange, { kind: 'new' });
  const words = cli.transport.arguments(start);
  const home = cli.home({ ...start, home: '' });
  const configured = [place.program, words, home, cli.variables];
  return sha256Of([Buffer.from(JSON.stringify([...all, params.place.tree, instance.id, ...configured]))]);
}

function startOf({ params, instructions, tools }: AgentExchange, opening: AgentStart['opening']): AgentStart {
  const { cwd, level, model, turns_max: turnsMax } = params;
  return { opening, cwd, level, model, instructions, turnsMax, tools };
}
