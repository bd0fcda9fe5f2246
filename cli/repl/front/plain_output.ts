import {
  type CallOutcome,
  type DisplayBlock,
  type DisplayCall,
  type DisplayMessage,
  writerOf,
} from '../../display/block.js';
import type { Look } from '../../render/look/look.js';
import { callLine, cleanOutput } from '../../render/node/call_line.js';
import { clean, cleanLine, cleanPrinted, createCleaner, overwritten } from '../../render/text/clean.js';
import { excerptOf } from '../../render/text/cut_middle.js';
import { count, formatNumber, shortId } from '../../render/text/ids_and_counts.js';
import type { DisplayEvent } from './front.js';

/** How plain lines are written. */
export interface PlainStyle {
  /** Each part begins with who speaks. */
  labelled: boolean;
  /** The person sees what they type. */
  echoed: boolean;
}

/** The conversation goes to stdout, what is said about it to stderr. */
export interface PlainText {
  to: 'stdout' | 'stderr';
  text: string;
}

/** Prints display events as text that is only ever appended, in whole lines. */
export function plainOutput(look: Look, style: PlainStyle): (event: DisplayEvent) => PlainText[] {
  const page = newPage(look, style);
  return (event) => {
    const isBeside = event.kind === 'note' || event.kind === 'failure';
    // A line that is not whole belongs to what was said before.
    const rest = isBeside ? ended(page) : '';
    const parts: PlainText[] = [
      { to: 'stdout', text: rest },
      { to: isBeside ? 'stderr' : 'stdout', text: partFor(page, event) },
    ];
    return parts.filter(({ text }) => text !== '');
  };
}

interface Page {
  look: Look;
  style: PlainStyle;
  /** Whether a blank line has to come before the next part. */
  isBegun: boolean;
  /** Words of the answer whose line is not whole yet; null outside an answer. */
  line: string | null;
  cleaner: ReturnType<typeof createCleaner>;
  /** The call whose lines are the last that were written. */
  openCall: string | null;
  /** The call that has printed something already. */
  printing: string | null;
}

function newPage(look: Look, style: PlainStyle): Page {
  return { look, style, isBegun: false, line: null, cleaner: createCleaner(), openCall: null, printing: null };
}

function partFor(page: Page, event: DisplayEvent): string {
  switch (event.kind) {
    case 'block_started':
      return ended(page) + begin(page) + startedCall(page, event.block);
    case 'block_grew':
      return printGrowth(page, event.block, event.added);
    case 'block_restarted':
      return event.block.kind === 'answer' ? `${ended(page)}(the answer starts again)\n` : '';
    case 'block_ended':
      return endedBlock(page, event.block);
    case 'call_waits':
      return '';
    case 'left':
      return ended(page);
    case 'typed_line':
      return page.style.echoed ? '' : ended(page) + typedLine(page, event.text);
    case 'text':
    case 'question':
      return ended(page) + commandText(page, event.text);
    case 'note':
      return `${clean(event.text)}\n`;
    case 'failure':
      return failure(page, event);
  }
}

function printGrowth(page: Page, block: DisplayBlock, added: string): string {
  if (block.kind === 'call') return printed(page, block.id, added);
  return block.kind === 'answer' ? printAnswer(page, added) : '';
}

function endedBlock(page: Page, block: DisplayBlock): string {
  switch (block.kind) {
    case 'message':
      return ended(page) + message(page, block);
    case 'thinking':
      return '';
    case 'answer':
      return ended(page);
    case 'summary':
      return `${ended(page)}${begin(page)}Summary: ${clean(block.text).trim()}\n`;
    case 'call':
      return block.outcome === null ? '' : endedCall(page, block, block.outcome);
  }
}

function typedLine(page: Page, text: string): string {
  return `${begin(page)}${page.look.style.user(`> ${cleanLine(text)}`)}\n`;
}

function commandText(page: Page, text: string): string {
  page.openCall = null;
  page.isBegun = true;
  return clean(text);
}

function failure({ look }: Page, { message, hint }: Extract<DisplayEvent, { kind: 'failure' }>): string {
  const hinted = hint === null ? '' : `hint: ${clean(hint)}\n`;
  return `${look.style.failure('cognition:')} ${clean(message)}\n${hinted}`;
}

/** A blank line between two parts. */
function begin(page: Page): string {
  const gap = page.isBegun ? '\n' : '';
  page.isBegun = true;
  page.openCall = null;
  return gap;
}

function message(page: Page, said: DisplayMessage): string {
  const { look, style } = page;
  const writer = writerOf(said);
  if (writer === null && said.by === 'us' && style.echoed) return '';
  const mark = writer !== null || style.labelled ? `${writer ?? 'User'}: ` : '> ';
  return `${begin(page)}${look.style.user(`${mark}${clean(said.text)}`)}\n`;
}

function printAnswer(page: Page, text: string): string {
  // A command of the person's own may be printing at the same time.
  const between = page.printing === null ? '' : ended(page);
  page.printing = null;
  if (page.line === null) page.cleaner = createCleaner();
  const before = page.line === null ? between + begin(page) + (page.style.labelled ? 'Assistant: ' : '') : '';
  const lines = (page.line ?? '') + page.cleaner.take(text);
  const end = lines.lastIndexOf('\n') + 1;
  page.line = lines.slice(end);
  return before + lines.slice(0, end);
}

function ended(page: Page): string {
  if (page.line === null) return '';
  const rest = cleanPrinted(page.line + page.cleaner.end());
  page.line = null;
  return rest === '' ? '' : `${rest}\n`;
}

function startedCall(page: Page, call: DisplayCall): string {
  page.openCall = call.id;
  return `${page.look.style.tool(callLine(call))}\n`;
}

/** What the last call prints is shown as it comes; of others only the end is. */
function printed(page: Page, id: string, text: string): string {
  if (page.openCall !== id) return '';
  if (page.printing !== id) {
    page.line = '';
    page.cleaner = createCleaner();
  }
  page.printing = id;
  const lines = overwritten((page.line ?? '') + text);
  const end = lines.lastIndexOf('\n') + 1;
  page.line = lines.slice(end);
  return cleanPrinted(lines.slice(0, end));
}

function endedCall(page: Page, call: DisplayCall, outcome: CallOutcome): string {
  const remark = outcome.remark === null ? '' : `(${cleanLine(outcome.remark)})\n`;
  if (page.printing === call.id) {
    page.printing = null;
    return ended(page) + remark;
  }
  const before = ended(page) + (page.openCall === call.id ? '' : begin(page) + startedCall(page, call));
  const text = cleanOutput(call.tool, outcome.text).trimEnd();
  if (text === '') return before + remark;
  const isSaid = `${text}\n`.endsWith(remark);
  return `${before}${excerpted(text, call.id)}\n${isSaid ? '' : remark}`;
}

function excerpted(text: string, id: string): string {
  const { head, leftOut, tail } = excerptOf(text);
  if (leftOut === null) return head;
  const what = leftOut.lines > 1 ? count(leftOut.lines, 'line') : `${formatNumber(leftOut.characters)} characters`;
  return `${head.trimEnd()}\n… ${what} left out; all of it: /output ${shortId(id)}\n${tail}`;
}
