import { callText } from '../../../hub/base/call_title.js';
import type { Look } from '../../render/look/look.js';
import type { MarkdownStream } from '../../render/markdown/streaming.js';
import { clean, cleanLine, cleanPrinted, createCleaner, overwritten } from '../../render/text/clean.js';
import { cut } from '../../render/text/cut.js';
import { excerptOf } from '../../render/text/cut_middle.js';
import { count, shortId } from '../../render/text/ids_and_counts.js';
import type { CallEnded, DisplayEvent } from '../front/front.js';
import type { HeavyDrawing } from './lazy_renderers.js';
import { formatSeconds } from './seconds.js';

/** Turns what is shown into text that stays, and rows that still change. */
export interface ScreenTranscript {
  /** What is finished by this: to be put above the live block. */
  take(shown: DisplayEvent): string[];
  /** What is not finished, in rows. */
  live(nowMs: number): string[];
  /** Whether the rows change with time alone. */
  isTimed(): boolean;
}

export interface TranscriptParts {
  /** The look at this moment. */
  look: () => Look;
  /** Null until it is loaded. */
  heavy: () => HeavyDrawing | null;
  nowMs: () => number;
}

/** Lines of an output of a model's call that are shown: its beginning and its end. */
const HEAD_LINES = 8;
const TAIL_LINES = 3;
/** What a person sent is shown whole up to this; an excerpt that was made before is shorter. */
const SAID_LINES_MAX = 40;
const SAID_LENGTH_MAX = 6_000;
/** Lines of what runs that are shown while it does. */
const RUNNING_LINES = 4;
/** What runs for less than this needs no word. */
const LONG_MS = 900;
const KEPT_LENGTH_MAX = 8_192;
const LINE_LENGTH_MAX = 4_000;

interface Running {
  tool: string;
  input: unknown;
  by: 'model' | 'person';
  sinceMs: number;
  /** The end of what it has printed. */
  tail: string;
  cleaner: ReturnType<typeof createCleaner>;
  hasPrinted: boolean;
  /** Nothing of it is done before a person has answered. */
  isWaiting: boolean;
}

interface Page {
  parts: TranscriptParts;
  answer: MarkdownStream | null;
  /** Where thinking began; null when there is none. */
  thinking: { sinceMs: number; length: number } | null;
  running: Map<string, Running>;
  isBegun: boolean;
}

export function screenTranscript(parts: TranscriptParts): ScreenTranscript {
  const page: Page = { parts, answer: null, thinking: null, running: new Map(), isBegun: false };
  return {
    take: (shown) => taken(page, shown),
    live: (nowMs) => liveRows(page, nowMs),
    isTimed: () => page.thinking !== null || [...page.running.values()].some(({ isWaiting }) => !isWaiting),
  };
}

function taken(page: Page, shown: DisplayEvent): string[] {
  const { style } = page.parts.look();
  switch (shown.kind) {
    case 'thought':
      page.thinking ??= { sinceMs: page.parts.nowMs(), length: 0 };
      page.thinking.length += shown.text.length;
      return [];
    case 'answer_grew':
      return grown(page, shown.text);
    case 'answer_ended':
      return ended(page);
    case 'answer_restarted':
      return [...ended(page), style.quiet('(the answer starts again)')];
    case 'call_began':
      return [...ended(page), ...callBegan(page, shown)];
    case 'call_waits':
      return waits(page, shown.id);
    case 'left':
      page.running.clear();
      return ended(page);
    case 'call_printed':
      return printed(page, shown.id, shown.text);
    case 'call_ended':
      return callEnded(page, shown);
    case 'said':
      return [...ended(page), ...part(page, inProse(page, said(shown, page)))];
    case 'summarised':
      return [...ended(page), ...part(page, inProse(page, `${style.quiet('Summary:')} ${clean(shown.text).trim()}`))];
    case 'asked':
      return [...ended(page), ...part(page, inProse(page, style.user(`> ${cleanLine(shown.text)}`)))];
    case 'text':
      page.isBegun = true;
      return [...ended(page), clean(shown.text).replace(/\n$/, '')];
    case 'note':
      return [...ended(page), inProse(page, style.quiet(clean(shown.text).trimEnd()))];
    case 'failure':
      return [...ended(page), inProse(page, failed(shown, page))];
  }
}

/** The person chooses where its lines break: answers are copied, and so are the commands that a hint names. */
function inProse({ parts }: Page, text: string): string {
  return parts.heavy()?.prose(text, parts.look()) ?? text;
}

/** A blank line before each part but the first. */
function part(page: Page, ...texts: string[]): string[] {
  const gap = page.isBegun ? [''] : [];
  page.isBegun = true;
  return [...gap, ...texts];
}

function said({ id, text, by }: Extract<DisplayEvent, { kind: 'said' }>, page: Page): string {
  const { style } = page.parts.look();
  const user = (part: string): string => style.user(clean(part));
  const mark = by === 'others' ? 'Another terminal: ' : '> ';
  const isShort = text.length <= SAID_LENGTH_MAX && text.split('\n').length <= SAID_LINES_MAX;
  const { head, leftOut, tail } = isShort ? { head: text, leftOut: null, tail: '' } : excerptOf(text);
  if (leftOut === null) return user(mark + head);
  const { lines, characters } = leftOut;
  const gap = `… ${lines > 1 ? count(lines, 'line') : count(characters, 'character')} more: /output ${shortId(id)}`;
  return [user((mark + head).trimEnd()), style.quiet(gap), user(tail.replace(/^\n/, ''))].join('\n');
}

function failed({ message, hint }: Extract<DisplayEvent, { kind: 'failure' }>, page: Page): string {
  const { style } = page.parts.look();
  const hinted = hint === null ? '' : `\n${style.quiet(`hint: ${clean(hint)}`)}`;
  return `${style.failure(clean(message))}${hinted}`;
}

function grown(page: Page, text: string): string[] {
  const thought = thoughtLine(page);
  const begun = page.answer === null ? [...thought, ...part(page)] : thought;
  page.answer ??= page.parts.heavy()?.markdown(page.parts.look) ?? null;
  return [...begun, ...(page.answer?.push(text) ?? [])];
}

function ended(page: Page): string[] {
  const rest = page.answer?.end() ?? [];
  page.answer = null;
  return [...thoughtLine(page), ...rest];
}

/** Thinking is folded to one line when it has come to its end. */
function thoughtLine(page: Page): string[] {
  if (page.thinking === null) return [];
  const { sinceMs } = page.thinking;
  page.thinking = null;
  const { style } = page.parts.look();
  return part(page, style.quiet(`> thinking, ${formatSeconds(page.parts.nowMs() - sinceMs)}`));
}

function callBegan(page: Page, { id, tool, input, by }: Extract<DisplayEvent, { kind: 'call_began' }>): string[] {
  const sinceMs = page.parts.nowMs();
  page.running.set(id, {
    tool,
    input,
    by,
    sinceMs,
    tail: '',
    cleaner: createCleaner('return'),
    hasPrinted: false,
    isWaiting: false,
  });
  // What a person runs is shown as it comes, so its line stands above it from the beginning.
  return by === 'person' ? part(page, callLine(page, { tool, input })) : [];
}

function waits(page: Page, id: string): string[] {
  const running = page.running.get(id);
  if (running !== undefined) running.isWaiting = true;
  return [];
}

function callLine(page: Page, { tool, input }: { tool: string; input: unknown }): string {
  const line = cleanLine(`[${tool}] ${callText(input)}`);
  return page.parts.look().style.tool(line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line);
}

function printed(page: Page, id: string, text: string): string[] {
  const running = page.running.get(id);
  if (running === undefined) return [];
  running.hasPrinted = true;
  const all = overwritten(running.tail + running.cleaner.take(text));
  if (running.by === 'model') {
    running.tail = all.slice(-KEPT_LENGTH_MAX);
    return [];
  }
  const end = all.length > KEPT_LENGTH_MAX && !all.includes('\n') ? all.length : all.lastIndexOf('\n') + 1;
  running.tail = all.slice(end);
  return end === 0 ? [] : [cleanPrinted(all.slice(0, end)).replace(/\n$/, '')];
}

function callEnded(page: Page, shown: CallEnded): string[] {
  const running = page.running.get(shown.id);
  page.running.delete(shown.id);
  const { style } = page.parts.look();
  const remark = shown.remark === null ? [] : [style.quiet(`(${cleanLine(shown.remark)})`)];
  if (running?.by === 'person' && running.hasPrinted) {
    const rest = cleanPrinted(running.tail + running.cleaner.end());
    return [...(rest === '' ? [] : [rest]), ...remark];
  }
  const line = running?.by === 'person' ? [] : part(page, callLine(page, shown));
  const text = (shown.tool === 'bash' ? cleanPrinted : clean)(shown.text).trimEnd();
  const change = shown.failed ? [] : (page.parts.heavy()?.renderChange(shown, page.parts.look()) ?? []);
  const given = text === '' ? [] : [excerpted(text, shown.id, style.quiet)];
  return [...ended(page), ...line, ...(change.length > 0 ? change : given)];
}

function excerpted(text: string, id: string, quiet: (text: string) => string): string {
  const lines = text.split('\n').map((line) => line.slice(0, LINE_LENGTH_MAX));
  const leftOut = lines.length - HEAD_LINES - TAIL_LINES;
  if (leftOut <= 1) return lines.join('\n');
  const gap = quiet(`… ${count(leftOut, 'line')} more: /output ${shortId(id)}`);
  return [...lines.slice(0, HEAD_LINES), gap, ...lines.slice(-TAIL_LINES)].join('\n');
}

function liveRows(page: Page, nowMs: number): string[] {
  const look = page.parts.look();
  const rows: string[] = [];
  if (page.thinking !== null) rows.push(look.style.quiet(`thinking… ${formatSeconds(nowMs - page.thinking.sinceMs)}`));
  rows.push(...(page.answer?.live() ?? []));
  for (const running of page.running.values()) rows.push(...runningRows(running, nowMs, look));
  return rows;
}

function runningRows({ tool, input, sinceMs, tail, by, isWaiting }: Running, nowMs: number, look: Look): string[] {
  const time = isWaiting ? '  waits for you' : ` ${formatSeconds(nowMs - sinceMs)}`;
  const line = cut(
    cleanLine(`[${tool}] ${callText(input).slice(0, LINE_LENGTH_MAX)}`),
    look.width - 1 - time.length,
    look,
  );
  const last = cleanPrinted(tail)
    .split('\n')
    .slice(by === 'person' ? -1 : -RUNNING_LINES);
  const rows = last.filter((one) => one.trim() !== '').map((one) => look.style.quiet(cut(one, look.width - 1, look)));
  if (by === 'model') return [`${look.style.tool(line)}${look.style.quiet(time)}`, ...rows];
  // What a person runs has its line above already, and is over in no time as a rule.
  const isLong = nowMs - sinceMs >= LONG_MS;
  return isLong ? [...rows, look.style.quiet(cut(`running${time}, Esc stops it`, look.width - 1, look))] : rows;
}
