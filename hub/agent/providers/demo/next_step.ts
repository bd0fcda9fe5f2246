import { blocksOfType, textOf } from '../../../base/node_blocks.js';
import type { ModelMessage } from '../../../protocol/methods/context_methods.js';
import type { EndReason, ModelRequest } from '../../model/provider.js';
import { GO_ON } from '../../request/unanswered_request.js';
import { abilityStep } from './abilities.js';
import { answerTo, callFor } from './answer_question.js';
import { calling, callOf, type DemoResult, type DemoStep, type DemoTask, failing, NOTE, saying } from './step.js';
import { demoSummary } from './summary.js';

const ENDS: readonly EndReason[] = ['answered', 'calls', 'max_tokens', 'refused', 'context_too_long', 'empty'];
const WORDS_MAX = 1_000_000;
/** How the result of a command ends that was stopped. */
const STOPPED = '(cancelled)';

/**
 * The next step of a conversation. A person's message may dictate it, line by line:
 *
 *     demo: think <text>           think this first
 *     demo: say <text>             say this
 *     demo: words <n>              say so many words
 *     demo: run <command>          call bash with it
 *     demo: call <tool> <input>    call any tool; the input is sent as written, JSON or not
 *     demo: fail <kind>            fail as a server would: rate_limited, overloaded, network, …
 *     demo: end <reason>           end like this: max_tokens, refused, empty, …
 *     demo: then                   the lines below are for the next answer, after the results
 *
 * A line for one of several that race says so: `demo[quick]: …` is read by the model `demo/quick` alone.
 * Lines of one answer happen in this order: think, say, fail, calls. Without lines left it answers from the results.
 */
export function demoStep(request: ModelRequest): DemoStep {
  const summary = demoSummary(request.messages);
  if (summary !== null) return saying(`${summary}\n\n${NOTE}`);
  const task = taskOf(request);
  const script = scriptOf(task)[task.steps];
  if (script !== undefined && script.length > 0) return scriptedStep(script);
  const ability = abilityStep(task);
  if (ability !== null) return ability;
  if (task.results.length > 0) return saying(answerTo(task));
  const command = callFor(task);
  if (command === null) return saying(answerTo(task));
  if (!task.tools.has('bash')) return saying(`I have no bash here to look. ${NOTE}`);
  return calling('', callOf('bash', { command }));
}

/** The `demo:` lines of a message, for each answer. */
function scriptOf({ question, model }: DemoTask): string[][] {
  const lines = question.split('\n').flatMap((line) => {
    const [, name = model, said = null] = /^\s*demo(?:\[([\w-]+)\])?:\s*(.*?)\s*$/.exec(line) ?? [];
    return said === null || name !== model ? [] : [said];
  });
  const groups: string[][] = [[]];
  for (const line of lines) {
    if (line === 'then') groups.push([]);
    else groups.at(-1)?.push(line);
  }
  return groups;
}

function scriptedStep(lines: readonly string[]): DemoStep {
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
        step.calls.push(callOf('bash', { command: rest }));
        break;
      case 'call':
        step.calls.push(anyCall(rest));
        break;
      case 'fail':
        step.failure = failing(rest);
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

function anyCall(text: string): { tool: string; input: string } {
  const [, tool = '', input = ''] = /^(\S*)\s*(.*)$/.exec(text) ?? [];
  return { tool: tool === '' ? 'unnamed' : tool, input };
}

function manyWords(count: number): string {
  const many = Number.isInteger(count) ? Math.min(Math.max(count, 1), WORDS_MAX) : 1;
  return Array.from({ length: many }, (_, index) => `word${index + 1}`).join(' ');
}

function taskOf({ messages: sent, tools, systemPrompt, model }: ModelRequest): DemoTask {
  const messages = withoutStopped(withoutInterruptions(sent));
  const question = messages.findLastIndex(({ role, content }) => role === 'user' && linesOf(content) !== '');
  const since = messages.slice(question + 1);
  return {
    question: linesOf(messages[question]?.content ?? []),
    steps: since.filter(({ role }) => role === 'assistant').length,
    results: resultsOf(messages.slice(Math.max(0, messages.length - 2)), since),
    earlier: messages
      .slice(0, question)
      .flatMap(({ content }) => blocksOfType(content, 'result').map((result) => linesOf(result.content)))
      .reverse(),
    isFirst: !messages.slice(0, question).some(({ role, content }) => role === 'assistant' && linesOf(content) !== ''),
    tools: new Set(tools.map(({ name }) => name)),
    ...{ systemPrompt, model },
  };
}

/** Without the halves of answers that were interrupted: such an answer is given once more. */
function withoutInterruptions(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const isGoOn = ({ role, content }: ModelMessage): boolean => role === 'user' && linesOf(content) === GO_ON;
  return messages.filter((message, at) => {
    const next = messages[at + 1];
    const isHalf = next !== undefined && isGoOn(next) && blocksOfType(message.content, 'call').length === 0;
    return !isGoOn(message) && !(isHalf && message.role === 'assistant');
  });
}

/** Without a command at the end that a person has stopped: it is run once more. */
function withoutStopped(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const results = blocksOfType(messages.at(-1)?.content ?? [], 'result');
  const isStopped = results.length > 0 && results.every(({ content }) => linesOf(content).endsWith(STOPPED));
  return isStopped ? messages.slice(0, -2) : messages;
}

/** The results of the newest calls, if they were made since the question. */
function resultsOf(newest: readonly ModelMessage[], since: readonly ModelMessage[]): DemoResult[] {
  const answers = since.length === 0 ? [] : newest.flatMap(({ content }) => content);
  return blocksOfType(answers, 'result').map(({ id, content, failed }) => {
    const call = blocksOfType(answers, 'call').find((other) => other.id === id);
    const made = call === undefined ? { tool: 'unknown', input: {} } : { tool: call.tool, input: call.input };
    return { ...made, text: linesOf(content), failed };
  });
}

function linesOf(content: ModelMessage['content']): string {
  return textOf(content, '\n').trim();
}
