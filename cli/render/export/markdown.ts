import { callTextOf, speakerOf, untoldExit } from '../node/node_text.js';
import { bodyOf, resultOf } from '../node/whole_call.js';
import { cleanLine } from '../text/clean.js';
import { shortId } from '../text/ids_and_counts.js';
import { treeWords } from '../tree/tree_list.js';
import type { DocumentFormat } from './document.js';

const FENCE = '```';

/** Markdown: a heading per message, its text as written, and outputs of tools in fences longer than any in them. */
export const markdownFormat: DocumentFormat = {
  begin: (tree) => `# ${escapeMarkdown(treeWords(tree))}\n\n`,
  fork: ({ number, of, from }) => `---\n\n*Branch ${number}, one of ${of} from \`${shortId(from)}\`*\n\n`,
  node: (node) => {
    if (node.role === 'root') return '';
    const text = resultOf(node);
    if (node.kind === 'text') return text === '' ? '' : `## ${speakerOf(node)}\n\n${text}\n\n`;
    const exit = untoldExit(node, text);
    const failed = exit === null ? '' : `Exit code ${exit}.\n\n`;
    const tool = escapeMarkdown(cleanLine(node.external.call.tool));
    const body = bodyOf(node);
    const call = body === null ? '' : fenced(body.text, body.kind === 'diff' ? 'diff' : '');
    return `### ${tool} ${codeSpan(callTextOf(node))}\n\n${call}${text === '' ? '' : fenced(text)}${failed}`;
  },
  end: () => '',
};

function fenced(text: string, language = ''): string {
  const fence = longerThanAny(text, /`{3,}/g, FENCE);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}\n\n`;
}

function codeSpan(text: string): string {
  if (text === '') return '';
  const ticks = longerThanAny(text, /`+/g, '`');
  const gap = text.includes('`') ? ' ' : '';
  return ticks + gap + text + gap + ticks;
}

function longerThanAny(text: string, runs: RegExp, least: string): string {
  let longest = least.length - 1;
  for (const [run] of text.matchAll(runs)) longest = Math.max(longest, run.length);
  return '`'.repeat(longest + 1);
}

function escapeMarkdown(line: string): string {
  return line.replace(/[\\`*_[\]<>#|]/g, '\\$&');
}
