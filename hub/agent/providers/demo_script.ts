import { HubError } from '../../error.js';
import type { ErrorKind } from '../../protocol/errors.js';
import type { ModelMessage } from '../../protocol/methods/context.js';
import type { EndReason, ModelRequest } from '../provider.js';
import { answerTo, callFor, NOTE } from './demo_questions.js';
import { demoSummary } from './demo_summary.js';

/** What the demo model does in one answer. */
export interface DemoStep {
  thinking: string;
  text: string;
  calls: { tool: string; input: string }[];
  end: EndReason;
  /** Makes the failure that it ends in instead, told whether something was said before; null for none. */
  failure: ((visible: boolean) => HubError) | null;
}

export interface DemoResult {
  tool: string;
  input: unknown;
  text: string;
  failed: boolean;
}

/** What has been asked, and what has been done about it since. */
export interface DemoTask {
  question: string;
  /** Answers given since, each of which was calls. */
  steps: number;
  /** What the newest calls brought. */
  results: DemoResult[];
  /** The texts of results from before, newest first. */
  earlier: string[];
  isFirst: boolean;
}

const FAILURES: readonly ErrorKind[] = [
  'no_key',
  'rejected',
  'rate_limited',
  'overloaded',
  'context_too_long',
  'network',
];
const RETRYABLE: readonly ErrorKind[] = ['rate_limited', 'overloaded', 'network'];
const ENDS: readonly EndReason[] = ['answered', 'calls', 'max_tokens', 'refused', 'context_too_long', 'empty'];
const WORDS_MAX = 1_000_000;

/**
 * The step that follows a conversation. A person's message may tell it, line by line:
 *
 *     demo: think <text>           think this first
 *     demo: say <text>             say this
 *     demo: words <n>              say so many words
 *     demo: run <command>          call bash with it
 *     demo: call <tool> <input>    call any tool; the input is sent as written, JSON or not
 *     demo: fail <kind>            fail as a server would: rate_limited, overloaded, network, …
 *     demo: end <reason>           end like this: max_tokens, refused, empty, …
 *     demo: then                   what follows is for the next answer, after the results
 *
 * Lines of one answer happen in this order: think, say, fail, calls. When nothing is left it answers from the results.
 */
export function demoStep(request: ModelRequest): DemoStep {
  const summary = demoSummary(request.messages);
  if (summary !== null) return saying(`${summary}\n\n${NOTE}`);
  const task = taskOf(request.messages);
  const told = groupsOf(task.question)[task.steps];
  if (told !== undefined && told.length > 0) return scripted(told);
  if (task.results.length > 0) return saying(answerTo(task));
  const wanted = callFor(task);
  if (wanted === null) return saying(answerTo(task));
  if (!request.tools.some(({ name }) => name === 'bash')) return saying(`I have no bash here to look. ${NOTE}`);
  return { ...saying(''), calls: [bash(wanted)], end: 'calls' };
}

/** The lines for each answer; lines that tell nothing are left out. */
function groupsOf(question: string): string[][] {
  const lines = question.split('\n').flatMap((line) => /^\s*demo:\s*(.*?)\s*$/.exec(line)?.[1] ?? []);
  const groups: string[][] = [[]];
  for (const line of lines) {
    if (line === 'then') groups.push([]);
    else groups.at(-1)?.push(line);
  }
  return groups;
}

function scripted(lines: readonly string[]): DemoStep {
  const step = saying('');
  const texts: string[] = [];
  for (const line of lines) {
    const [, verb = '', rest = ''] = /^(\w+)\s*(.*)$/.exec(line) ?? [];
    switch (verb) {
      case 'think':
        step.thinking = rest;
        break;
      case 'say':
        texts.push(rest);
        break;
      case 'words':
        texts.push(manyWords(Number(rest)));
        break;
      case 'run':
        step.calls.push(bash(rest));
        break;
      case 'call':
        step.calls.push(anyCall(rest));
        break;
      case 'fail':
        step.failure = failureFor(rest);
        break;
      case 'end':
        step.end = ENDS.find((reason) => reason === rest) ?? step.end;
        break;
      default:
        texts.push(`I do not know what to do with: demo: ${line}. ${NOTE}`);
    }
  }
  step.text = texts.join('\n');
  if (step.calls.length > 0 && step.end === 'answered') step.end = 'calls';
  if (step.text === '' && step.end === 'answered') step.end = 'empty';
  return step;
}

function saying(text: string): DemoStep {
  return { thinking: '', text, calls: [], end: 'answered', failure: null };
}

function bash(command: string): { tool: string; input: string } {
  return { tool: 'bash', input: JSON.stringify({ command }) };
}

function anyCall(text: string): { tool: string; input: string } {
  const [, tool = '', input = ''] = /^(\S*)\s*(.*)$/.exec(text) ?? [];
  return { tool: tool === '' ? 'unnamed' : tool, input };
}

function manyWords(count: number): string {
  const many = Number.isInteger(count) ? Math.min(Math.max(count, 1), WORDS_MAX) : 1;
  return Array.from({ length: many }, (_, place) => `word${place + 1}`).join(' ');
}

function failureFor(name: string): DemoStep['failure'] {
  const kind = FAILURES.find((known) => known === name) ?? 'network';
  return (visible) =>
    new HubError(kind, `the demo model failed as it was told to: ${kind}`, {
      hint: 'ask something else',
      retryable: RETRYABLE.includes(kind),
      details: { visible, ...(kind === 'rate_limited' ? { retry_after_ms: 0 } : {}) },
    });
}

function taskOf(messages: readonly ModelMessage[]): DemoTask {
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && textOf(content) !== '');
  const since = messages.slice(asked + 1);
  return {
    question: textOf(messages[asked]?.content ?? []),
    steps: since.filter(({ role }) => role === 'assistant').length,
    results: resultsOf(messages.slice(Math.max(0, messages.length - 2)), since),
    earlier: messages
      .slice(0, asked)
      .flatMap(({ content }) => content.flatMap(resultText))
      .reverse(),
    isFirst: !messages.slice(0, asked).some(({ role, content }) => role === 'assistant' && textOf(content) !== ''),
  };
}

/** The results of the newest calls, when they were made since the question. */
function resultsOf(newest: readonly ModelMessage[], since: readonly ModelMessage[]): DemoResult[] {
  const answers = since.length === 0 ? [] : newest.flatMap(({ content }) => content);
  return answers.flatMap((block) => {
    if (block.type !== 'result') return [];
    const call = answers.find((other) => other.type === 'call' && other.id === block.id);
    const asked = call?.type === 'call' ? { tool: call.tool, input: call.input } : { tool: 'unknown', input: {} };
    return [{ ...asked, text: textOf(block.content), failed: block.failed }];
  });
}

type Content = ModelMessage['content'][number];

function resultText(block: Content): string[] {
  return block.type === 'result' ? [textOf(block.content)] : [];
}

function textOf(content: readonly Content[]): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
}
