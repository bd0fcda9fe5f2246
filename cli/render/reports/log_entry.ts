import { callText } from '../../../hub/base/call_title.js';
import { blocksOfType, textsOf } from '../../../hub/base/node_blocks.js';
import type { LogNode } from '../../../hub/protocol/event_log.js';
import type { Block } from '../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import type { Look } from '../look/look.js';
import { exitTail, inkOf, labelOf } from '../node/node_label.js';
import type { Titled } from '../node/node_text.js';
import { cleanLine } from '../text/clean.js';
import { cut } from '../text/cut.js';
import { formatNumber, shortId } from '../text/ids_and_counts.js';

const PREVIEW_LENGTH_MAX = 400;

/** A node on one line: time, id, speaker and text, and the tokens it took. */
export function logLineText({ timestamp, id, by, payload, token_usage }: LogNode, look: Look): string {
  const titled = { ...titledOf(payload), ...(by === undefined ? {} : { by }) };
  const opening = `${momentOf(Date.parse(timestamp))}  ${shortId(id)}  `;
  const closing = `${exitTail(titled)}${token_usage === null ? '' : `  ${usageText(token_usage)}`}`;
  const label = labelOf(titled, Math.max(1, look.width - opening.length - closing.length), look);
  return `${look.style.quiet(opening)}${inkOf(titled.role, look)(label)}${look.style.quiet(closing)}`;
}

/** An event of a turn that is no node, on one line; null for events that are not logged. */
export function turnEventText(event: AgentEvent, look: Look): string | null {
  const text = eventText(event);
  if (text === null) return null;
  return look.style.quiet(cut(cleanLine(`${momentOf(look.nowMs)}  ${look.glyphs.ellipsis} ${text}`), look.width, look));
}

function eventText(event: AgentEvent): string | null {
  switch (event.kind) {
    case 'turn_started':
      return `a turn begins: ${event.model}, ${event.level}`;
    case 'turn_snapshot':
      return `a turn is under way: ${event.model}`;
    case 'request_started':
      return event.attempt > 1 ? `asks the model, try ${event.attempt}` : 'asks the model';
    case 'request_failed':
      return event.retry_in_ms === null
        ? event.message
        : `${event.message}; again in ${Math.ceil(event.retry_in_ms / 1_000)} s`;
    case 'answer_restarted':
      return 'the answer starts again';
    case 'call_started':
      return `[${event.tool}] ${callText(event.input).slice(0, PREVIEW_LENGTH_MAX)}`;
    case 'usage_counted':
      return usageText(event.usage);
    case 'turn_ended':
      return `the turn ends: ${event.outcome.why ?? event.outcome.state}`;
    default:
      return null;
  }
}

function titledOf(payload: LogNode['payload']): Titled {
  switch (payload.type) {
    case 'root':
      return { role: 'root', tool: null, preview: '', exit_code: null };
    case 'user':
    case 'assistant':
    case 'summary':
      return { role: payload.type, tool: null, preview: previewOf(payload.blocks), exit_code: null };
    case 'tool_result':
    case 'command': {
      const { call, exit_code } = payload;
      const titled: Titled = { role: 'tool', tool: call.tool, preview: shortened(callText(call.input)), exit_code };
      return payload.type === 'command' ? { ...titled, step: null } : titled;
    }
  }
}

/** The words of an answer; of one that only calls, the names of the tools. */
function previewOf(blocks: readonly Block[]): string {
  const text = textsOf(blocks).map(shortened).join(' ');
  if (text.trim() !== '') return shortened(text);
  return blocksOfType(blocks, 'call')
    .map(({ tool }) => `[${tool}]`)
    .join(' ');
}

function shortened(text: string): string {
  return text.slice(0, PREVIEW_LENGTH_MAX);
}

function usageText(usage: NonNullable<LogNode['token_usage']>): string {
  const { tokens_in, tokens_cache_read, tokens_cache_write_5m, tokens_cache_write_1h, tokens_out } = usage;
  const all = tokens_in + tokens_cache_read + tokens_cache_write_5m + tokens_cache_write_1h;
  return `i:${formatNumber(all)}(c:${formatNumber(tokens_cache_read)}) o:${formatNumber(tokens_out)}`;
}

/** The local day and time. */
function momentOf(atMs: number): string {
  const at = new Date(atMs);
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
