import { setTimeout as wait } from 'node:timers/promises';
import { onAbort } from '../../../hub/base/abort.js';
import { detach, neverFails } from '../../../hub/base/detach.js';
import type { AgentId, ExchangeEnd, ExchangeEvent, FaultKind } from '../../../hub/protocol/outside_agent.js';
import type { AgentCli, AgentDialogue, AgentStart, Decision } from '../agent_cli.js';
import { faultOf } from '../fault.js';
import { type AgentProcess, type ProcessPlan, startProcess } from '../process/agent_process.js';

/** How long an agent may take to end an exchange that it was asked to stop. */
const STOP_MS_MAX = 3_000;
/** Lines that nobody understands are told so many times in an exchange. */
const NOISE_MAX = 20;

export interface ExchangeLimits {
  timeMs: number;
  idleMs: number;
  signal: AbortSignal;
}

/** A process of an agent that is spoken with. */
export interface Speaker {
  /** Of all its processes. */
  marker: string;
  isAlive(): boolean;
  session(): AgentId | null;
  /** Says something, and resolves with how the exchange ended; never rejects. */
  exchange(said: string, limits: ExchangeLimits, onEvent: (event: ExchangeEvent) => void): Promise<ExchangeEnd>;
  /** Says more to the exchange under way. */
  say(text: string): void;
  answer(question: string, decision: Decision): void;
  end(): Promise<unknown>;
}

/** What a speaker is made of. */
interface Parts {
  cli: AgentCli;
  process: AgentProcess;
  conversation: AgentDialogue;
  session(): AgentId | null;
  /** Who hears the events of the exchange under way, and that anything was heard. */
  listener: { take(event: ExchangeEvent): void; heard(): void; answered(): void } | null;
}

export async function startSpeaker(cli: AgentCli, start: AgentStart, plan: ProcessPlan): Promise<Speaker> {
  let session: AgentId | null = null;
  let parts: Parts | null = null;
  let noise = 0;
  const early: object[] = [];
  const emit = (event: ExchangeEvent): void => {
    if (event.kind === 'opened') session = event.session;
    if (event.kind === 'ended') noise = 0;
    parts?.listener?.take(event);
  };
  const send = (message: object): void => {
    if (parts === null) early.push(message);
    else parts.process.send(message);
  };
  const conversation = cli.transport.converse({ send, emit }, start);
  const process = await startProcess(plan, {
    message: conversation.take,
    noise(text) {
      noise += 1;
      if (noise <= NOISE_MAX) emit({ kind: 'noted', text });
    },
    heard: () => parts?.listener?.heard(),
  });
  const made: Parts = { cli, process, conversation, session: () => session, listener: null };
  parts = made;
  for (const message of early) process.send(message);
  return {
    ...{ marker: plan.marker, isAlive: process.isAlive, session: () => session },
    exchange: (said, limits, onEvent) => exchange(made, { said, limits, onEvent }),
    ...{ say: conversation.say, end: process.end },
    answer(question, decision) {
      conversation.answer(question, decision);
      parts?.listener?.answered();
    },
  };
}

interface Exchanging {
  said: string;
  limits: ExchangeLimits;
  onEvent(event: ExchangeEvent): void;
}

function exchange(parts: Parts, { said, limits, onEvent }: Exchanging): Promise<ExchangeEnd> {
  const { cli, process, conversation } = parts;
  return new Promise((resolve) => {
    let text = '';
    const timers = startTimers(limits, (why) => {
      conversation.cancel();
      detach(
        endIfLate(parts, () => parts.listener === listener),
        neverFails,
      );
      stopped = why;
    });
    let stopped: FaultKind | null = null;
    const finish = (end: ExchangeEnd): void => {
      if (parts.listener !== listener) return;
      parts.listener = null;
      timers.clear();
      resolve(stopped === null ? end : { ...end, fault: faultOf(cli, stopped, '') });
    };
    const listener: Parts['listener'] = {
      ...{ heard: timers.heard, answered: timers.resume },
      take(event) {
        if (event.kind === 'text') text += event.text;
        if (event.kind === 'asked') timers.pause();
        if (event.kind === 'ended') finish(event);
        else onEvent(event);
      },
    };
    parts.listener = listener;
    const onExit = process.ended.then((end) =>
      finish({ kind: 'ended', session: parts.session(), at: null, text, fault: cli.fault(end) }),
    );
    detach(onExit, neverFails);
    conversation.say(said);
  });
}

/** An agent that does not stop when it is asked to is ended. */
async function endIfLate({ process }: Parts, isUnderWay: () => boolean): Promise<void> {
  await wait(STOP_MS_MAX, undefined, { ref: false });
  if (isUnderWay()) await process.end();
}

interface Timers {
  heard(): void;
  /** From now on it waits for a person, as many times as it is said. */
  pause(): void;
  resume(): void;
  clear(): void;
}

/** Stops once: when it takes too long, when nothing is heard, or when it is cancelled. While a person is asked no time passes. */
function startTimers({ timeMs, idleMs, signal }: ExchangeLimits, stop: (why: FaultKind) => void): Timers {
  let isStopped = false;
  const once = (why: FaultKind): void => {
    if (!isStopped) stop(why);
    isStopped = true;
  };
  let open = 0;
  let leftMs = timeMs;
  let begunMs = performance.now();
  let total = setTimeout(() => once('timeout'), leftMs);
  let idle = setTimeout(() => once('idle'), idleMs);
  const clear = (): void => {
    clearTimeout(total);
    clearTimeout(idle);
  };
  const heard = (): void => {
    clearTimeout(idle);
    if (open === 0 && !isStopped) idle = setTimeout(() => once('idle'), idleMs);
  };
  // Later: whoever is cancelled already has not begun to listen.
  const stopListening = onAbort(signal, () => setImmediate(() => once('cancelled')));
  return {
    heard,
    pause() {
      open += 1;
      if (open > 1) return;
      leftMs -= performance.now() - begunMs;
      clear();
    },
    resume() {
      if (open === 0) return;
      open -= 1;
      if (open > 0 || isStopped) return;
      begunMs = performance.now();
      total = setTimeout(() => once('timeout'), Math.max(0, leftMs));
      heard();
    },
    clear() {
      isStopped = true;
      clear();
      stopListening();
    },
  };
}
