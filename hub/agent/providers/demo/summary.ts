import { callText } from '../../../base/call_title.js';
import { blocksOfType, textOf, textsOf } from '../../../base/node_blocks.js';
import type { ModelMessage } from '../../../protocol/methods/context_methods.js';
import { SUMMARY_BEGINS } from '../../compaction/compaction_prompt.js';

const LINE_LENGTH_MAX = 200;
const LINES_MAX = 50;

/** A summary of what was asked and which commands ran; null when no summary is asked for. */
export function demoSummary(messages: readonly ModelMessage[]): string | null {
  const last = messages.at(-1)?.content.slice(-1) ?? [];
  if (!textOf(last).includes(SUMMARY_BEGINS)) return null;
  const before = messages.slice(0, -1);
  if (before.length === 0) return summaryOfText(textOf(last));
  const questions = before.flatMap(({ role, content }) => (role === 'user' ? textsOf(content) : []));
  const calls = before.flatMap(({ content }) =>
    blocksOfType(content, 'call').map(({ tool, input }) => `${tool}: ${callText(input)}`),
  );
  return [section('Asked', questions), section('Done', calls)].filter((text) => text !== '').join('\n\n');
}

/** Of a conversation that comes as one text. */
function summaryOfText(text: string): string {
  const said = (begin: RegExp): string[] =>
    text.split('\n\n').flatMap((entry) => (begin.test(entry) ? [entry.replace(begin, '')] : []));
  return [section('Asked', said(/^Person: /)), section('Done', said(/^Agent calls /))]
    .filter((part) => part !== '')
    .join('\n\n');
}

function section(heading: string, texts: readonly string[]): string {
  if (texts.length === 0) return '';
  const lines = texts
    .slice(-LINES_MAX)
    .map((text) => `- ${text.trim().replace(/\s+/g, ' ').slice(0, LINE_LENGTH_MAX)}`);
  return `## ${heading}\n${lines.join('\n')}`;
}
