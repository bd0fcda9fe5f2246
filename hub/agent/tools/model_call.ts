import type { CommandEvent, ToolAnswer } from '../../protocol/methods/tool_methods.js';
import type { NodeId } from '../../protocol/node.js';
import type { Question } from '../../protocol/question.js';

/** A call as a model made it. */
export interface ModelCall {
  /** The model's own id of it. */
  call: string;
  /** The id that its node will have. */
  id: NodeId;
  tool: string;
  input: unknown;
  /** What is wrong with its input; null when it is an object. */
  problem: string | null;
}

/** The result of a call. */
export type CallResult = Pick<ToolAnswer, 'blocks' | 'external'>;

/** What a call is executed with. */
export interface CallSurroundings {
  /** The settled node that the step grows from. */
  parent: NodeId;
  signal: AbortSignal;
  onOutput(event: Extract<CommandEvent, { kind: 'output' }>): void;
}

/** A question of a call to a person, before it is stored. */
export type QuestionDraft = Pick<Question, 'call' | 'kind' | 'question' | 'options'>;
