import * as z from 'zod';
import { TreeId } from './node.js';

const timestamp = z.iso.datetime();

/** What a transcript is of. */
export const TranscriptMetadata = z.strictObject({
  /** The id of the tree. */
  session_id: TreeId,
  started_at: timestamp,
  provider: z.string(),
  model: z.string(),
  /** What was asked first. */
  task: z.string(),
  parent_session_id: TreeId.nullable(),
  is_sub_session: z.boolean(),
});
export type TranscriptMetadata = z.infer<typeof TranscriptMetadata>;

const entry = { timestamp, content: z.string() };
const tool = { tool_name: z.string(), tool_id: z.string().optional() };

/** One thing that was said or done. A call that a person made has no id. */
const TranscriptEntry = z.discriminatedUnion('role', [
  z.strictObject({ ...entry, role: z.literal('user') }),
  z.strictObject({ ...entry, role: z.literal('assistant') }),
  /** Its content is the input as JSON. */
  z.strictObject({ ...entry, role: z.literal('tool_call'), ...tool }),
  z.strictObject({ ...entry, role: z.literal('tool_result'), ...tool }),
]);
export type TranscriptEntry = z.infer<typeof TranscriptEntry>;
