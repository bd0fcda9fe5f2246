import { callEnd } from '../../base/call_end.js';
import { callText } from '../../base/call_title.js';
import { blocksOfType } from '../../base/node_blocks.js';
import type { ModelMessage } from '../../protocol/methods/context_methods.js';
import type { Block, Node, Settings, Sha256 } from '../../protocol/node.js';

/** All that a model is sent for a node. */
export interface Prompt {
  system_prompt: string;
  tools: Settings['tools'];
  messages: ModelMessage[];
  /** Nodes on the path that no message was made of, the root not counted. */
  left_out: number;
}

/** What the nodes of a path name by hash only. */
export interface PromptSettings {
  /** What the model is sent the messages with; null while there is nothing yet. */
  current: Settings | null;
  /** The model that each settings name, for the thinking that it signed. */
  models: ReadonlyMap<Sha256, string>;
}

type Part = ModelMessage['content'][number];
type Called = Extract<Block, { type: 'call' }>;
type Result = Extract<Node, { kind: 'external' }>;

/**
 * Makes of the nodes from the root to a settled node what a model is sent for it. What is made of a node depends on its
 * own step and on the settings alone: for each settled node below, up to the next summary and with the same settings,
 * this is the beginning of what is sent. Each message is made of one node, or of one step; messages of one role
 * may follow each other.
 */
export function promptOf(path: readonly Node[], settings: PromptSettings): Prompt {
  const { current } = settings;
  const messages: ModelMessage[] = [];
  let sent = 0;
  for (const step of stepsOf(sinceSummary(path))) {
    const made = messagesOf(step, settings);
    messages.push(...made);
    if (made.length > 0) sent += step.results.length + 1;
  }
  const said = path.filter(({ role }) => role !== 'root').length;
  return {
    ...{ system_prompt: current?.system_prompt ?? '', tools: current?.tools ?? [] },
    ...{ messages, left_out: said - sent },
  };
}

/** The settings of the newest message on a path that names any: what a turn at its end goes on with. */
export function newestSettings(path: readonly Node[]): Sha256 | null {
  return path.findLast(({ role, settings }) => role === 'assistant' && settings !== null)?.settings ?? null;
}

/** The settings whose model decides what is sent of a path. */
export function signingSettings(path: readonly Node[]): Sha256[] {
  const signed = path.filter(
    ({ role, blocks }) => role === 'assistant' && blocksOfType(blocks, 'thinking').some(isSigned),
  );
  return [...new Set(signed.flatMap(({ settings }) => (settings === null ? [] : [settings])))];
}

/** A summary stands for all that is before it. */
function sinceSummary(path: readonly Node[]): readonly Node[] {
  const newest = path.findLastIndex(({ role }) => role === 'summary');
  return newest < 0 ? path : path.slice(newest);
}

/** What was committed at once: a message with the results of its calls, or one node of a person's. */
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

function messagesOf({ first, results }: Step, settings: PromptSettings): ModelMessage[] {
  if (first.role === 'root') return [];
  if (first.kind === 'external') return [userMessage(commandParts(first))];
  if (first.role !== 'assistant') return withContent(userMessage(shownParts(first.blocks)));
  const answered = answeredCalls(first.blocks, results);
  const content = first.blocks.filter((block) => isSent(block, { node: first, answered, settings }));
  // Thinking that led to nothing which is sent is no message.
  if (blocksOfType(content, 'thinking').length === content.length) return [];
  const paired = results.slice(0, answered.size);
  return [{ role: 'assistant', content }, ...withContent(userMessage(paired.map(resultPart)))];
}

/** The calls that were executed: results stand in the order of their calls, each with the id of its own. */
function answeredCalls(blocks: readonly Block[], results: readonly Result[]): ReadonlySet<Called> {
  const answered = new Set<Called>();
  let at = 0;
  for (const block of blocksOfType(blocks, 'call')) {
    if (block.id !== results[at]?.external.call.id) continue;
    answered.add(block);
    at += 1;
  }
  return answered;
}

interface Surroundings {
  node: Node;
  answered: ReadonlySet<Called>;
  settings: PromptSettings;
}

function isSent(block: Block, { node, answered, settings }: Surroundings): boolean {
  switch (block.type) {
    case 'text':
      return !isBlank(block.text);
    case 'call':
      return answered.has(block);
    case 'image':
      return false; // models take images from others only
    case 'thinking':
      return isSigned(block) && isOfModel(node.settings, settings);
  }
}

function isSigned({ signature }: Extract<Block, { type: 'thinking' }>): boolean {
  return signature !== null && signature !== '';
}

/** A signature means something to the model that made it only. */
function isOfModel(made: Sha256 | null, { current, models }: PromptSettings): boolean {
  return current !== null && made !== null && models.get(made) === current.model;
}

// Providers refuse text without a visible character.
function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** What somebody else than the model says: text and images. */
function shownParts(blocks: readonly Block[]): Block[] {
  return blocks.filter(isShown);
}

function isShown(block: Block): boolean {
  switch (block.type) {
    case 'text':
      return !isBlank(block.text);
    case 'image':
      return true;
    case 'thinking':
    case 'call':
      return false;
  }
}

/** What a person ran or attached: a model must be told that it did not ask for it. */
function commandParts({ external, blocks }: Result): Block[] {
  const { tool, input } = external.call;
  return [{ type: 'text', text: `I ran ${tool}: ${callText(input)}` }, ...shownParts(blocks)];
}

function resultPart({ external, blocks }: Result): Part {
  return { type: 'result', id: external.call.id ?? '', content: shownParts(blocks), failed: callEnd(external).failed };
}

function userMessage(content: Part[]): ModelMessage {
  return { role: 'user', content };
}

function withContent(message: ModelMessage): ModelMessage[] {
  return message.content.length === 0 ? [] : [message];
}
