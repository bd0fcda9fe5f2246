import * as z from 'zod';
import { NODE_BYTES_MAX } from './limits.js';
import { NodeId } from './node.js';

/** What is asked, before it is kept as a question. */
export const QuestionDraft = {
  call: z.string().min(1).max(200),
  /** `approval`: whether a command may run outside of the sandbox; `permission`: whether a call of level `ask` may be made. */
  kind: z.enum(['question', 'approval', 'permission']),
  question: z.string().min(1).max(NODE_BYTES_MAX),
  options: z.array(z.string()).max(100),
};

/** What a turn asks a person. */
export const Question = z.strictObject({
  ...QuestionDraft,
  /** The id that the node of its answer will have. */
  id: NodeId,
  /** Null while it is open. */
  answer: z.string().nullable(),
  /** Whether what was permitted beyond the call itself holds no longer. */
  withdrawn: z.boolean().optional(),
});
export type Question = z.infer<typeof Question>;
