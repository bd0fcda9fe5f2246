import { imageLabel } from '../../../hub/base/node_blocks.js';
import type { ModelMessage } from '../../../hub/protocol/methods/context_methods.js';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { Look } from '../look/look.js';
import { clean, cleanLine } from '../text/clean.js';
import { count } from '../text/ids_and_counts.js';

type Part = ModelMessage['content'][number];
type Sent = ResultOf<'context.model'>;

const BYTES_PER_TOKEN = 4;

/** A rough estimate, about right for English text: models count differently. */
export function estimatedTokens(sizeBytes: number): number {
  return Math.ceil(sizeBytes / BYTES_PER_TOKEN);
}

/** All that a model is sent, piece by piece: the system prompt, the tools, then the messages. */
export function* renderModelContext({ system_prompt, tools, messages }: Sent, look: Look): Generator<string> {
  if (system_prompt !== '') yield section('system prompt', clean(system_prompt), look);
  if (tools.length > 0) yield section(count(tools.length, 'tool'), tools.map(toolName).join('\n'), look);
  for (const { role, content } of messages) {
    yield section(role, content.map((part) => partText(part, look)).join('\n'), look);
  }
}

function section(title: string, text: string, look: Look): string {
  const body = text.trimEnd();
  return `${look.style.strong(`--- ${title}`)}\n${body === '' ? '' : `${body}\n`}\n`;
}

function toolName(tool: unknown): string {
  const name: unknown = typeof tool === 'object' && tool !== null ? Reflect.get(tool, 'name') : null;
  return cleanLine(typeof name === 'string' ? name : JSON.stringify(tool));
}

function partText(part: Part, look: Look): string {
  switch (part.type) {
    case 'text':
      return clean(part.text);
    case 'thinking':
      return `${look.style.quiet('[thinking]')} ${clean(part.text)}`;
    case 'call':
      return `${look.style.tool(`[call ${cleanLine(part.id)}: ${cleanLine(part.tool)}]`)} ${cleanLine(JSON.stringify(part.input))}`;
    case 'image':
      return look.style.quiet(imageLabel(part));
    case 'kept':
      return '';
    case 'result': {
      const title = `[result of ${cleanLine(part.id)}${part.failed ? ', failed' : ''}]`;
      return [look.style.tool(title), ...part.content.map((block) => partText(block, look))].join('\n');
    }
  }
}
