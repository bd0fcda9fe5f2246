import { callEnd } from '../../base/call_end.js';
import { callText } from '../../base/call_title.js';
import { blocksOfType } from '../../base/node_blocks.js';
import { sentPath } from '../../base/path/sent_path.js';
import type { ModelMessage } from '../../protocol/methods/context_methods.js';
import type { Block, Node, Settings, Sha256 } from '../../protocol/node.js';

/** The content of a request for a node. */
export interface Prompt {
  system_prompt: string;
  tools: Settings['tools'];
  messages: ModelMessage[];
  /** The number of nodes that became no message, without the root. */
  left_out: number;
}

/** The settings that the nodes of a path name by their hash. */
export interface PromptSettings {
  /** The settings of the request; null while the path has none. */
  current: Settings | null;
  /** What thinking is bound to, by the settings that it was made with. */
  bindings: ReadonlyMap<Sha256, string>;
}

/** What thinking is bound to: with another model, system prompt or list of tools its server refuses it. */
export function bindingOf({ model, system_prompt, tools }: Settings): string {
  return JSON.stringify([model, system_prompt, tools]);
}

type Part = ModelMessage['content'][number];
type CallBlock = Extract<Block, { type: 'call' }>;
type Result = Extract<Node, { kind: 'external' }>;

/**
 * Makes the content of a request from the nodes between the root and a settled node. The messages of a node depend on its
 * own step and the settings alone: the prompt of a settled node is a prefix of that of every settled node below it, up to
 * the next summary and with the same settings. Each message is made from one node or one step; messages of one role may
 * follow each other.
 */
export function promptOf(path: readonly Node[], settings: PromptSettings): Prompt {
  const { current } = settings;
  const readable = readableThinking(settings);
  const messages: ModelMessage[] = [];
  let sent = 0;
  for (const step of stepsOf(sentPath(path))) {
    const stepMessages = messagesOf(step, readable);
    messages.push(...stepMessages);
    if (stepMessages.length > 0) sent += step.results.length + 1;
  }
  const total = path.filter(({ role }) => role !== 'root').length;
  return {
    ...{ system_prompt: current?.system_prompt ?? '', tools: current?.tools ?? [] },
    ...{ messages, left_out: total - sent },
  };
}

/** The settings of the newest answer on a path that names any; a turn at its end goes on with them. */
export function newestSettings(path: readonly Node[]): Sha256 | null {
  return path.findLast(({ role, settings }) => role === 'assistant' && settings !== null)?.settings ?? null;
}

/** The settings with which signed thinking was made on a path. */
export function signingSettings(path: readonly Node[]): Sha256[] {
  const signed = path.filter(
    ({ role, blocks }) => role === 'assistant' && blocksOfType(blocks, 'thinking').some(isSigned),
  );
  return [...new Set(signed.flatMap(({ settings }) => (settings === null ? [] : [settings])))];
}

/** The settings whose thinking is sent in a request. */
function readableThinking({ current, bindings }: PromptSettings): ReadonlySet<Sha256> {
  const binding = current === null ? null : bindingOf(current);
  return new Set([...bindings].flatMap(([sha256, made]) => (made === binding ? [sha256] : [])));
}

/** Nodes that were committed together: an answer with the results of its calls, or one node of a person. */
interface Step {
  first: Node;
  results: Result[];
}

function* stepsOf(path: readonly Node[]): Generator<Step> {
  let step: Step | null = null;
  for (const node of path) {
    if (step !== null && node.kind === 'external' && node.step !== null && node.step.id === step.first.step?.id) {
      step.results.push(node);
      continue;
    }
    if (step !== null) yield step;
    step = { first: node, results: [] };
  }
  if (step !== null) yield step;
}

function messagesOf({ first, results }: Step, readable: ReadonlySet<Sha256>): ModelMessage[] {
  if (first.role === 'root') return [];
  if (first.kind === 'external') return [userMessage(commandParts(first))];
  if (first.role !== 'assistant') return withContent(userMessage(userParts(first.blocks)));
  const answered = answeredCalls(first.blocks, results);
  const isReadable = first.settings !== null && readable.has(first.settings);
  const content = first.blocks.filter((block) => isSent(block, { answered, isReadable }));
  // Thinking alone is no message.
  if (blocksOfType(content, 'thinking').length === content.length) return [];
  const paired = results.slice(0, answered.size);
  return [{ role: 'assistant', content }, ...withContent(userMessage(paired.map(resultPart)))];
}

/** The executed calls: results stand in the order of their calls, each with the id of its call. */
function answeredCalls(blocks: readonly Block[], results: readonly Result[]): ReadonlySet<CallBlock> {
  const answered = new Set<CallBlock>();
  let at = 0;
  for (const block of blocksOfType(blocks, 'call')) {
    if (block.id !== results[at]?.external.call.id) continue;
    answered.add(block);
    at += 1;
  }
  return answered;
}

interface Surroundings {
  answered: ReadonlySet<CallBlock>;
  /** Whether the model of the request can read the thinking. */
  isReadable: boolean;
}

function isSent(block: Block, { answered, isReadable }: Surroundings): boolean {
  switch (block.type) {
    case 'text':
      return !isBlank(block.text);
    case 'call':
      return answered.has(block);
    case 'image':
      return false; // models accept images in user messages only
    case 'kept':
      return false;
    case 'thinking':
      return isSigned(block) && isReadable;
  }
}

function isSigned({ signature }: Extract<Block, { type: 'thinking' }>): boolean {
  return signature !== null && signature !== '';
}

// Providers refuse text without a visible character.
function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** The parts of a user message: text and images. */
function userParts(blocks: readonly Block[]): Block[] {
  return blocks.filter(isUserPart);
}

function isUserPart(block: Block): boolean {
  switch (block.type) {
    case 'text':
      return !isBlank(block.text);
    case 'image':
      return true;
    case 'thinking':
    case 'call':
    case 'kept':
      return false;
  }
}

/** A person's own command or attachment: the model must see that it did not call it. */
function commandParts({ external, blocks }: Result): Block[] {
  const { tool, input } = external.call;
  return [{ type: 'text', text: `I ran ${tool}: ${callText(input)}` }, ...userParts(blocks)];
}

function resultPart({ external, blocks }: Result): Part {
  return { type: 'result', id: external.call.id ?? '', content: userParts(blocks), failed: callEnd(external).failed };
}

function userMessage(content: Part[]): ModelMessage {
  return { role: 'user', content };
}

function withContent(message: ModelMessage): ModelMessage[] {
  return message.content.length === 0 ? [] : [message];
}
