import { cliCommand } from '../../hub/base/hint.js';
import type { Hint } from '../../hub/protocol/errors.js';
import type { AgentName, Fault, FaultKind } from '../../hub/protocol/outside_agent.js';
import type { ProcessEnd } from './agent_cli.js';

/** The longest text of an agent that a message repeats. */
const WORDS_MAX = 600;

/** What of a CLI a fault names. */
export interface NamedCli {
  name: AgentName;
  executable: string;
  install: string;
  variables: readonly [string, ...string[]];
}

const RETRYABLE: readonly FaultKind[] = ['rate_limited', 'overloaded', 'timeout', 'idle', 'killed', 'empty'];

/** A fault with what to do about it. */
export function faultOf(cli: NamedCli, kind: FaultKind, words: string): Fault {
  const text = words.trim().slice(0, WORDS_MAX);
  const message = text === '' ? `${cli.name}: ${USUAL[kind]}` : `${cli.name}: ${text}`;
  return { kind, message, hint: hintFor(cli, kind), retryable: RETRYABLE.includes(kind) };
}

/** The fault of a failed request to its model, by the status of the answer, else by its words. */
export function faultOfRequest(cli: NamedCli, status: number | null, words: string): Fault {
  return faultOf(cli, (status === null ? null : kindOfStatus(status)) ?? kindOfWords(words) ?? 'failed', words);
}

/** The fault of a process that ended before its exchange did: by its last words, else by how it ended. */
export function faultAtEnd(cli: NamedCli, { code, signal, stderr }: ProcessEnd): Fault {
  const errors = stderr.split('\n').filter((line) => /error/i.test(line));
  const words = errors.at(-1) ?? stderr;
  const isKilled = signal !== null || (code ?? 0) > SIGNAL_CODES;
  const how = `it ended with ${signal ?? code}`;
  return faultOf(cli, isKilled ? 'killed' : (kindOfWords(stderr) ?? 'failed'), words === '' ? how : words);
}

/** What starts a program in a sandbox tells its signal as an exit code above this. */
const SIGNAL_CODES = 128;

function kindOfStatus(status: number): FaultKind | null {
  if (status === 401 || status === 403) return 'not_logged_in';
  if (status === 429) return 'rate_limited';
  if (status === 413) return 'too_long';
  return status >= 500 ? 'overloaded' : null;
}

/** In the order in which they are looked for: an agent tells many things in one text. */
const PATTERNS: readonly (readonly [RegExp, FaultKind])[] = [
  [/no conversation found|no rollout found|session not found|no message found|turn not found/i, 'session_lost'],
  [/not logged in|\/login|unauthori[sz]ed|invalid api key|missing environment variable|\b401\b/i, 'not_logged_in'],
  [/rate.?limit|too many requests|usage limit|quota|\b429\b/i, 'rate_limited'],
  [/overloaded|high demand|internal server error|service unavailable|\b(500|502|503|529)\b/i, 'overloaded'],
  [/prompt is too long|context (window|length)|maximum context/i, 'too_long'],
];

function kindOfWords(words: string): FaultKind | null {
  return PATTERNS.find(([pattern]) => pattern.test(words))?.[1] ?? null;
}

const USUAL: Readonly<Record<FaultKind, string>> = {
  not_installed: 'it is not installed',
  not_logged_in: 'it is not logged in',
  rate_limited: 'its model takes no more requests for now',
  overloaded: 'its model is overloaded',
  refused: 'its model refused',
  session_lost: 'it does not know its session any more',
  session_switched: 'it answered in another session than it was asked to',
  too_long: 'the conversation is too long for its model',
  timeout: 'it took too long',
  idle: 'nothing was heard of it for too long',
  killed: 'its process was killed',
  cancelled: 'it was stopped',
  protocol: 'it said what nobody understands',
  empty: 'it ended without an answer',
  failed: 'it failed',
};

function hintFor({ name, executable, install, variables: [variable] }: NamedCli, kind: FaultKind): Hint | null {
  switch (kind) {
    case 'not_installed':
      return `install it, so that ${executable} is in your PATH: ${install}`;
    case 'not_logged_in':
      return [`set ${variable}, or: `, cliCommand('agents', 'login', name)];
    case 'rate_limited':
    case 'overloaded':
      return 'try again later, or let another agent go on here';
    case 'too_long':
      return ['begin a new branch, or: ', cliCommand('compact', '@')];
    case 'timeout':
    case 'idle':
      return 'its partial answer is kept: say what it is to go on with';
    case 'session_lost':
    case 'session_switched':
      return 'ask again: it is told the conversation anew';
    default:
      return null;
  }
}
