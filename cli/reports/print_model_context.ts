import type { NodeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { estimatedTokens, renderModelContext } from '../render/reports/model_context_text.js';
import { count, formatBytes, formatNumber } from '../render/text/ids_and_counts.js';
import { estimateAt, estimateText } from '../turn/estimate_request.js';
import { modelAccess } from '../turn/model_access.js';
import { modelRoute } from '../turn/model_route.js';

/** Prints exactly what a model would be sent for a node, and notes its size. */
export async function printModelContext(context: Context, node: NodeId): Promise<void> {
  const client = await context.client();
  const sent = await client.call('context.model', { node });
  const tokens = estimatedTokens(sent.size_bytes);
  const params = { access: modelAccess(context.preferences), route: modelRoute(), change: null, usual_model: null };
  const estimate = await estimateAt(context, node, params);
  if (context.json) {
    await context.printJson({ ...sent, estimated_tokens: tokens, estimate });
    return;
  }
  for (const part of renderModelContext(sent, await context.look([]))) await context.out.write(part);
  const also = [
    ...(sent.images > 0 ? [`${count(sent.images, 'image')} not counted`] : []),
    ...(sent.left_out > 0 ? [`${count(sent.left_out, 'node')} of the path not sent`] : []),
  ].map((text) => `; ${text}`);
  context.note(
    `${count(sent.messages.length, 'message')}, ${formatBytes(sent.size_bytes)}, about ${formatNumber(tokens)} tokens (an estimate: a token for 4 bytes)${also.join('')}`,
  );
  if (estimate.model !== null) context.note(`With ${estimate.model}: ${estimateText(estimate)}`);
}
