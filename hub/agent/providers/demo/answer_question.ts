import { type DemoResult, type DemoTask, NOTE } from './step.js';

/** The endings of the files of a language. */
const LANGUAGES = new Map([
  ['python', 'py'],
  ['typescript', 'ts'],
  ['javascript', 'js'],
  ['markdown', 'md'],
]);
const LINES_MAX = 40;
/** The result of a command without output. */
const NOTHING_PRINTED = '(no output)';

/** The command that a question asks for; null when it is not understood. */
export function callFor({ question, earlier }: DemoTask): string | null {
  const command = /`([^`\n]+)`/.exec(question);
  if (command?.[1] !== undefined) return command[1];
  const listed = /\b(?:list|show|find|see|which|what)\b.*?\b(?:(\w+) )?files\b(?:.*?\b(?:in|of|under)\s+(\S+))?/i.exec(
    question,
  );
  if (listed !== null) return listing(listed[1], listed[2]);
  const counted = /\bhow many lines\b.*?([\w./-]+\.\w+)/i.exec(question);
  if (counted?.[1] !== undefined) return `wc -l ${quoted(pathOf(counted[1], earlier))}`;
  const searched = /\b(?:search|grep|look) for ["']?([^"'\s]+)["']?(?:.*?\bin\s+(\S+))?/i.exec(question);
  if (searched?.[1] !== undefined)
    return `grep -rn -- ${quoted(searched[1])} ${quoted(withoutPunctuation(searched[2] ?? '.'))}`;
  const shown = /\b(?:show|read|open|print|cat|see|contents of)\b.*?([\w./-]*\w\.\w+)/i.exec(question);
  return shown?.[1] === undefined ? null : `cat ${quoted(pathOf(shown[1], earlier))}`;
}

function listing(language: string | undefined, folder: string | undefined): string {
  const ending = LANGUAGES.get(language?.toLowerCase() ?? '');
  const where = folder === undefined || /^(this|the|my|here)$/i.test(folder) ? '' : withoutPunctuation(folder);
  if (ending === undefined) return where === '' ? 'ls' : `ls ${quoted(where)}`;
  return `ls ${where === '' ? '' : `${quoted(where.replace(/\/+$/, ''))}/`}*.${ending}`;
}

/** The path at which a file named without a folder was seen before. */
function pathOf(name: string, earlier: readonly string[]): string {
  if (name.includes('/')) return name;
  const lines = earlier.flatMap((text) => text.split('\n').map((line) => line.trim()));
  return lines.find((line) => line.endsWith(`/${name}`) && /^[\w./-]+$/.test(line)) ?? name;
}

/** A word of a sentence without the punctuation at its end. */
function withoutPunctuation(word: string): string {
  return word.replace(/[?!,;:.]+$/, '') || '.';
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The final answer: the results of the calls, or that it cannot answer. */
export function answerTo({ question, results, isFirst }: DemoTask): string {
  if (results.length === 0) {
    const remark = question === '' ? 'You have not asked anything yet.' : 'I cannot answer that.';
    return `${remark} ${NOTE}`;
  }
  const sentences = results.map(sentenceFor).join('\n\n');
  return isFirst ? `${sentences}\n\n${NOTE}` : sentences;
}

function sentenceFor(result: DemoResult): string {
  const command = commandOf(result);
  const lines = result.text.split('\n').filter((line) => line.trim() !== '');
  if (result.failed) return `That did not work (${command}):\n\n${fenced(result.text)}`;
  const [verb, ...words] = command.split(' ');
  const last = words.at(-1) ?? '';
  if (verb === 'ls') return fileList(lines[0] === NOTHING_PRINTED ? [] : lines, last);
  if (verb === 'cat') return `Here's the contents of ${last.split('/').at(-1)}:\n\n${fenced(result.text)}`;
  return `${command} says:\n\n${fenced(result.text)}`;
}

function fileList(lines: readonly string[], pattern: string): string {
  const ending = /\*\.(\w+)$/.exec(pattern)?.[1];
  const language = [...LANGUAGES].find(([, one]) => one === ending)?.[0] ?? '';
  const kind = language === '' ? '' : `${language[0]?.toUpperCase()}${language.slice(1)} `;
  if (lines.length === 0) return `I found no ${kind}files.`;
  const names = lines.slice(0, LINES_MAX).map((line) => `- ${line}`);
  const more = lines.length > names.length ? `\n- … and ${lines.length - names.length} more` : '';
  return `I found ${lines.length} ${kind}${lines.length === 1 ? 'file' : 'files'}:\n\n${names.join('\n')}${more}`;
}

function fenced(text: string): string {
  const lines = text.split('\n');
  const first = lines.slice(0, LINES_MAX).join('\n');
  const fence = text.includes('```') ? '````' : '```';
  const more = lines.length > LINES_MAX ? `\n(${lines.length - LINES_MAX} more lines)` : '';
  return `${fence}\n${first}\n${fence}${more}`;
}

function commandOf({ tool, input }: DemoResult): string {
  if (typeof input === 'object' && input !== null && 'command' in input && typeof input.command === 'string') {
    return input.command;
  }
  return tool;
}
