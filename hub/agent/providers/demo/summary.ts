import { callText } from '../../../base/call_title.js';
import type { ModelMessage } from '../../../protocol/methods/context_methods.js';
import { SUMMARY_BEGINS } from '../../compaction/compaction_prompt.js';

const LINE_LENGTH_MAX = 200;
const LINES_MAX = 50;

/** What it says when it is asked for a summary: what was asked and which commands ran, by rules; null when it is asked for something else. */
export function demoSummary(messages: readonly ModelMessage[]): string | null {
  const last = messages.at(-1)?.content.at(-1);
  if (last?.type !== 'text' || !last.text.includes(SUMMARY_BEGINS)) return null;
  const before = messages.slice(0, -1);
  const asked = before.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  const called = before.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'call' ? [`${part.tool}: ${callText(part.input)}`] : [])),
  );
  return [listed('Asked', asked), listed('Done', called)].filter((text) => text !== '').join('\n\n');
}

function listed(heading: string, texts: readonly string[]): string {
  if (texts.length === 0) return '';
  const lines = texts
    .slice(-LINES_MAX)
    .map((text) => `- ${text.trim().replace(/\s+/g, ' ').slice(0, LINE_LENGTH_MAX)}`);
  return `## ${heading}\n${lines.join('\n')}`;
}
