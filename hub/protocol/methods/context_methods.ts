import * as z from 'zod';
import { methods } from '../method.js';
import { Block, Json, NodeId } from '../node.js';

const count = z.int().nonnegative();
const budget = (usual: number, most: number) => z.int().positive().max(most).default(usual);

/** One message as sent to a model, before it takes a provider's form. */
export const ModelMessage = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.array(
    z.discriminatedUnion('type', [
      ...Block.options,
      z.strictObject({
        type: z.literal('result'),
        /** The id of the call that it answers. */
        id: z.string(),
        content: z.array(Block),
        failed: z.boolean(),
      }),
    ]),
  ),
});
export type ModelMessage = z.infer<typeof ModelMessage>;

export const contextMethods = methods({
  'context.resolve': {
    description: 'Turns the handle of a node into content: what was seen then, or with `fresh` what is there now.',
    params: z.strictObject({
      node: NodeId,
      fresh: z.boolean().default(false),
      /** Whether `fresh` also looks at what the handle of a node names that a file or another hub brought. */
      others: z.boolean().default(false),
      /** The most bytes of text that are returned. */
      bytes_max: budget(1_048_576, 8_388_608),
    }),
    result: z.strictObject({
      text: z.string(),
      /** The whole size in bytes. */
      total_bytes: count,
      /** Bytes in the middle that are not in the text. */
      left_out_bytes: count,
      /** Why this is a placeholder; null when it is the content. */
      placeholder: z.string().nullable(),
      /** With `fresh`: the difference to the recorded content; null for none. */
      changed: z.string().nullable(),
    }),
    callerGone: 'cancel',
  },
  'context.render': {
    description: 'Renders the path to a node as text for a reader, every handle resolved.',
    params: z.strictObject({
      node: NodeId,
      fresh: z.boolean().default(false),
      others: z.boolean().default(false),
      /** The most bytes of text per handle, and for all of them; excerpts say how to read the rest. */
      handle_bytes_max: budget(16_384, 8_388_608),
      total_bytes_max: budget(1_048_576, 8_388_608),
    }),
    result: z.strictObject({
      text: z.string(),
      nodes: count,
      handles: count,
      /** Handles that could not be resolved and have a placeholder. */
      placeholders: count,
      /** Handles of which only an excerpt fits the budget. */
      excerpts: count,
    }),
    callerGone: 'cancel',
  },
  'context.model': {
    description: 'Returns exactly what a model is sent for a node, made from its rows alone.',
    params: z.strictObject({ node: NodeId }),
    result: z.strictObject({
      system_prompt: z.string(),
      tools: z.array(Json),
      messages: z.array(ModelMessage),
      /** The size as JSON in bytes, without images. */
      size_bytes: count,
      images: count,
      /** Nodes on the path that are not sent: before a summary, or of a kind that never is. */
      left_out: count,
    }),
    callerGone: 'cancel',
  },
});
