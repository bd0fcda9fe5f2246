import { HubError } from '../../../hub/base/error.js';
import type { AgentId, ExchangeEnd } from '../../../hub/protocol/outside_agent.js';
import { sha256Of } from '../../base/sha256.js';
import type { AgentStart, Transport } from '../agent_cli.js';
import { writeHomeFiles } from '../process/agent_folders.js';
import { planLaunch } from '../process/launch.js';
import type { ExchangeListener } from './exchange_listener.js';
import type { AgentExchange, ExchangeParams, ExchangeParts } from './exchange_parts.js';
import { type ChosenOpening, goOn, ownSession, tellHistory } from './first_words.js';
import { writeRecord } from './run_records.js';
import { type Speaker, startSpeaker } from './speaker.js';

/** Speaks in the agent's own session where that knows the path, else in a new one that is told it. */
export async function speakUntilEnd(
  parts: ExchangeParts,
  exchange: AgentExchange,
  listener: ExchangeListener,
): Promise<ExchangeEnd> {
  const { cli, path, params, version } = exchange;
  const speaking = { parts, exchange, listener };
  const own = ownSession(path.before, cli);
  const tip = own?.session == null ? null : parts.tips.read(cli.name, own.session);
  const opening = own === null ? null : goOn(own, cli, tip);
  if (opening !== null) {
    const known: ChosenOpening = { opening, said: path.task, files: {}, remark: null };
    const end = await speak(speaking, known);
    if (end.fault?.kind !== 'session_lost' || exchange.run.calls() > 0) return end;
  }
  const place = { cwd: params.cwd, newId: parts.newId, model: params.model, version };
  const told = tellHistory(path, cli, place);
  if (told.remark !== null) listener.onEvent({ kind: 'noted', text: told.remark });
  return speak(speaking, told);
}

interface Speaking {
  parts: ExchangeParts;
  exchange: AgentExchange;
  listener: ExchangeListener;
}

async function speak(speaking: Speaking, { opening, said, files }: ChosenOpening): Promise<ExchangeEnd> {
  const { parts, exchange, listener } = speaking;
  const { params, place, cli, instructions } = exchange;
  writeHomeFiles(place.folders.home, files);
  const start: AgentStart = {
    ...{ opening, cwd: params.cwd, level: params.level, model: params.model, instructions },
    ...{ turnsMax: params.turns_max, task: said },
  };
  const waiting = opening.kind === 'resume' ? parts.kept.take(keyOf(params, opening.session)) : null;
  if (waiting !== null) return (await speakWith(speaking, waiting, said)).end;
  let end: ExchangeEnd | null = null;
  for (const transport of cli.transports) {
    const spoken = await speakWith(speaking, await startFor(speaking, { transport, start }), said);
    end = spoken.end;
    // A live transport that ends before anything was heard is one that this version does not have.
    if (end.fault?.kind !== 'failed' || spoken.hasHeard || !transport.isLive) return end;
    listener.onEvent({ kind: 'noted', text: `${end.fault.message}; it is run once instead` });
  }
  if (end === null) throw new HubError('internal', `${cli.name} has no transport`);
  return end;
}

/** One exchange with a process, which is kept for the next one or ended. */
async function speakWith(
  { parts, exchange, listener }: Speaking,
  speaker: Speaker,
  said: string,
): Promise<{ end: ExchangeEnd; hasHeard: boolean }> {
  const { params, context, record } = exchange;
  listener.onSpeaker(speaker);
  record.markers.push(speaker.marker);
  writeRecord(parts.runs, record);
  let hasHeard = false;
  const limits = { timeMs: exchange.timeMs, idleMs: params.idle_ms, signal: context.signal };
  const end = await speaker.exchange(said, limits, (event) => {
    hasHeard ||= event.kind !== 'noted';
    listener.onEvent(event);
  });
  await dismiss(parts, speaker, { end, params });
  return { end, hasHeard };
}

async function startFor(
  { parts, exchange: { place, record } }: Speaking,
  how: { transport: Transport; start: AgentStart },
): Promise<Speaker> {
  const plan = await planLaunch(parts, place, how);
  // Before it starts: whoever finds the record finds its processes.
  writeRecord(parts.runs, { ...record, markers: [...record.markers, plan.marker] });
  return startSpeaker(place.cli, how, plan);
}

/** Keeps a process whose exchange has ended well, and ends any other. */
async function dismiss(
  { kept }: ExchangeParts,
  speaker: Speaker,
  { end, params }: { end: ExchangeEnd; params: ExchangeParams },
): Promise<void> {
  const isSound = end.fault === null || ['cancelled', 'rate_limited', 'overloaded'].includes(end.fault.kind);
  if (speaker.isLive && speaker.isAlive() && isSound && end.session !== null) {
    kept.keep(keyOf(params, end.session), speaker);
  } else await speaker.end();
}

/** All that a process was started with: another exchange can have it only for the same. */
function keyOf(params: ExchangeParams, session: AgentId): string {
  const { agent, model, role, role_description, level, cwd, project, policy, environment, turns_max, place } = params;
  const all = [session, agent, model, role, role_description, level, cwd, project, policy, environment, turns_max];
  return sha256Of([Buffer.from(JSON.stringify([...all, place.tree]))]);
}
