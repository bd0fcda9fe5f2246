import {
  type CallOutcome,
  type DisplayBlock,
  type DisplayCall,
  type DisplayMessage,
  writerOf,
} from '../../display/block.js';
import type { Look } from '../../render/look/look.js';
import type { MarkdownStream } from '../../render/markdown/markdown_stream.js';
import { callLine, cleanOutput } from '../../render/node/call_line.js';
import { clean, cleanLine, cleanPrinted, overwritten } from '../../render/text/clean.js';
import { cut } from '../../render/text/cut.js';
import { excerptOf } from '../../render/text/cut_middle.js';
import { count, shortId } from '../../render/text/ids_and_counts.js';
import { inWords } from '../../render/text/prose.js';
import type { DisplayEvent } from '../front/front.js';
import type { HeavyDrawing } from './lazy_renderers.js';
import { formatSeconds } from './seconds.js';

/** Renders display events as finished text and live rows. */
export interface ChatOutput {
  /** The text that an event finishes, for above the live block. */
  take(event: DisplayEvent): string[];
  /** The unfinished rows. */
  live(nowMs: number): string[];
  /** Whether the rows change with time alone. */
  isTimed(): boolean;
}

export interface ChatOutputParts {
  /** The current look. */
  look: () => Look;
  /** Null until it is loaded. */
  heavy: () => HeavyDrawing | null;
  /** Whether prose breaks between words; else the terminal breaks it. */
  isInWords: boolean;
  nowMs: () => number;
}

/** The shown lines of a call's output: head and tail. */
const HEAD_LINES = 8;
const TAIL_LINES = 3;
/** Longer messages of a person are shown as an excerpt. */
const SAID_LINES_MAX = 40;
const SAID_LENGTH_MAX = 6_000;
/** The live lines of a running call. */
const RUNNING_LINES = 4;
/** Shorter calls have no duration shown. */
const LONG_MS = 900;
/** An unfinished line beyond this length is printed at once. */
const LINE_KEPT_LENGTH_MAX = 8_192;
const LINE_LENGTH_MAX = 4_000;

interface RunningCall {
  block: DisplayCall;
  sinceMs: number;
  /** The unfinished line of a person's command, whose finished lines are printed at once. */
  line: string;
  hasPrinted: boolean;
  /** The call awaits an answer and has not started. */
  isWaiting: boolean;
}

interface Page {
  parts: ChatOutputParts;
  answer: MarkdownStream | null;
  /** Null without thinking. */
  thinking: { sinceMs: number } | null;
  running: Map<string, RunningCall>;
  isBegun: boolean;
}

export function chatOutput(parts: ChatOutputParts): ChatOutput {
  const page: Page = { parts, answer: null, thinking: null, running: new Map(), isBegun: false };
  return {
    take: (event) => taken(page, event),
    live: (nowMs) => liveRows(page, nowMs),
    isTimed: () => page.thinking !== null || [...page.running.values()].some(({ isWaiting }) => !isWaiting),
  };
}

function taken(page: Page, event: DisplayEvent): string[] {
  const { style } = page.parts.look();
  switch (event.kind) {
    case 'block_started':
      return [...ended(page), ...startedCall(page, event.block)];
    case 'block_grew':
      return printGrowth(page, event.block, event.added);
    case 'block_restarted':
      return event.block.kind === 'answer' ? [...ended(page), style.quiet('(the answer starts again)')] : [];
    case 'block_ended':
      return endedBlock(page, event.block);
    case 'call_waits':
      return waits(page, event.id);
    case 'left':
      page.running.clear();
      return ended(page);
    case 'typed_line':
      // A command is copied whole.
      return [...ended(page), ...part(page, style.user(`> ${cleanLine(event.text)}`))];
    case 'text':
    case 'question':
      page.isBegun = true;
      return [...ended(page), clean(event.text).replace(/\n$/, '')];
    case 'note':
      return [...ended(page), inProse(page, style.quiet(clean(event.text).trimEnd()))];
    case 'failure':
      return [...ended(page), inProse(page, failed(event, page))];
  }
}

function printGrowth(page: Page, block: DisplayBlock, added: string): string[] {
  if (block.kind === 'call') return printed(page, block, added);
  if (block.kind === 'answer') return printAnswer(page, added);
  page.thinking ??= { sinceMs: page.parts.nowMs() };
  return [];
}

function endedBlock(page: Page, block: DisplayBlock): string[] {
  const { style } = page.parts.look();
  switch (block.kind) {
    case 'message':
      return [...ended(page), ...part(page, inProse(page, message(block, page)))];
    case 'thinking':
      return [];
    case 'answer':
      return ended(page);
    case 'summary':
      return [...ended(page), ...part(page, inProse(page, `${style.quiet('Summary:')} ${clean(block.text).trim()}`))];
    case 'call':
      return block.outcome === null ? [] : endedCall(page, block, block.outcome);
  }
}

/** Wrapping is the person's choice: answers and hinted commands are copied. */
function inProse({ parts }: Page, text: string): string {
  return parts.isInWords ? inWords(text, parts.look()) : text;
}

/** A blank line before each part but the first. */
function part(page: Page, ...texts: string[]): string[] {
  const gap = page.isBegun ? [''] : [];
  page.isBegun = true;
  return [...gap, ...texts];
}

function message(said: DisplayMessage, page: Page): string {
  const { id, text } = said;
  const { style } = page.parts.look();
  const user = (part: string): string => style.user(clean(part));
  const writer = writerOf(said);
  const mark = writer === null ? '> ' : `${writer}: `;
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

function printAnswer(page: Page, text: string): string[] {
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

/** Finished thinking is folded to one line. */
function thoughtLine(page: Page): string[] {
  if (page.thinking === null) return [];
  const { sinceMs } = page.thinking;
  page.thinking = null;
  const { style } = page.parts.look();
  return part(page, style.quiet(`> thinking, ${formatSeconds(page.parts.nowMs() - sinceMs)}`));
}

function startedCall(page: Page, block: DisplayCall): string[] {
  page.running.set(block.id, { block, sinceMs: page.parts.nowMs(), line: '', hasPrinted: false, isWaiting: false });
  // A person's command streams, so its line is printed first.
  return block.by === 'person' ? part(page, shortCallLine(page, block)) : [];
}

function waits(page: Page, id: string): string[] {
  const running = page.running.get(id);
  if (running !== undefined) running.isWaiting = true;
  return [];
}

function shortCallLine(page: Page, block: DisplayCall): string {
  const line = callLine(block);
  return page.parts.look().style.tool(line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line);
}

function printed(page: Page, block: DisplayCall, added: string): string[] {
  const running = page.running.get(block.id);
  if (running === undefined) return [];
  running.block = block;
  running.hasPrinted = true;
  if (block.by === 'model') return [];
  const all = overwritten(running.line + added);
  const end = all.length > LINE_KEPT_LENGTH_MAX && !all.includes('\n') ? all.length : all.lastIndexOf('\n') + 1;
  running.line = all.slice(end);
  return end === 0 ? [] : [cleanPrinted(all.slice(0, end)).replace(/\n$/, '')];
}

function endedCall(page: Page, block: DisplayCall, outcome: CallOutcome): string[] {
  const running = page.running.get(block.id);
  page.running.delete(block.id);
  const { style } = page.parts.look();
  const isPersons = running?.block.by === 'person';
  if (isPersons && running.hasPrinted) {
    const rest = cleanPrinted(running.line);
    const remark = outcome.remark === null ? [] : [style.quiet(`(${cleanLine(outcome.remark)})`)];
    return [...(rest === '' ? [] : [rest]), ...remark];
  }
  const line = isPersons ? [] : part(page, shortCallLine(page, block));
  const text = cleanOutput(block.tool, outcome.text).trimEnd();
  const change = outcome.failed ? [] : (page.parts.heavy()?.renderChange(block, page.parts.look()) ?? []);
  const given = text === '' ? [] : [excerpted(text, block.id, style.quiet)];
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

function runningRows({ block, sinceMs, line, isWaiting }: RunningCall, nowMs: number, look: Look): string[] {
  const time = isWaiting ? '  waits for you' : ` ${formatSeconds(nowMs - sinceMs)}`;
  const isModels = block.by === 'model';
  const last = cleanPrinted(isModels ? block.printed : line).split('\n');
  const rows = last
    .slice(isModels ? -RUNNING_LINES : -1)
    .filter((one) => one.trim() !== '')
    .map((one) => look.style.quiet(cut(one, look.width - 1, look)));
  if (isModels) {
    const title = cut(callLine(block, LINE_LENGTH_MAX), look.width - 1 - time.length, look);
    return [`${look.style.tool(title)}${look.style.quiet(time)}`, ...rows];
  }
  // A person's command has its line already, and usually ends at once.
  const isLong = nowMs - sinceMs >= LONG_MS;
  return isLong ? [...rows, look.style.quiet(cut(`running${time}, Esc stops it`, look.width - 1, look))] : rows;
}
