import { callText } from '../../../hub/base/call_title.js';
import type { Look } from '../../render/look/look.js';
import { clean, cleanLine, cleanPrinted, createCleaner, overwritten } from '../../render/text/clean.js';
import { excerptOf } from '../../render/text/cut_middle.js';
import { count, formatNumber, shortId } from '../../render/text/ids_and_counts.js';
import type { CallEnded, DisplayEvent } from './front.js';

/** How a transcript is written where nothing that was written can be changed. */
export interface PlainStyle {
  /** Each part begins with who speaks. */
  labelled: boolean;
  /** The person sees what they type. */
  echoed: boolean;
}

/** What to write for something shown: the conversation on stdout, what is said about it on stderr. */
export interface Written {
  to: 'stdout' | 'stderr';
  text: string;
}

/** Turns what is shown into text that is only ever appended, in whole lines. */
export function plainTranscript(look: Look, style: PlainStyle): (shown: DisplayEvent) => Written[] {
  const page = newPage(look, style);
  return (shown) => {
    const isBeside = shown.kind === 'note' || shown.kind === 'failure';
    // A line that is not whole belongs to what was said before.
    const rest = isBeside ? ended(page) : '';
    const parts: Written[] = [
      { to: 'stdout', text: rest },
      { to: isBeside ? 'stderr' : 'stdout', text: partFor(page, shown) },
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

function partFor(page: Page, shown: DisplayEvent): string {
  switch (shown.kind) {
    case 'answer_grew':
      return grown(page, shown.text);
    case 'answer_ended':
      return ended(page);
    case 'answer_restarted':
      return `${ended(page)}(the answer starts again)\n`;
    case 'thought':
    case 'call_waits':
      return '';
    case 'left':
      return ended(page);
    case 'call_began':
      return ended(page) + begin(page) + callLine(page, shown);
    case 'call_printed':
      return printed(page, shown.id, shown.text);
    case 'call_ended':
      return result(page, shown);
    case 'said':
      return ended(page) + said(page, shown);
    case 'summarised':
      return `${ended(page)}${begin(page)}Summary: ${clean(shown.text).trim()}\n`;
    case 'asked':
      return page.style.echoed ? '' : ended(page) + asked(page, shown.text);
    case 'text':
      return ended(page) + commandText(page, shown.text);
    case 'note':
      return `${clean(shown.text)}\n`;
    case 'failure':
      return failure(page, shown);
  }
}

function asked(page: Page, text: string): string {
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

function said(page: Page, { text, by }: Extract<DisplayEvent, { kind: 'said' }>): string {
  const { look, style } = page;
  if (by === 'us' && style.echoed) return '';
  const who = by === 'others' ? 'Another terminal: ' : 'User: ';
  const mark = style.labelled || by === 'others' ? who : '> ';
  return `${begin(page)}${look.style.user(`${mark}${clean(text)}`)}\n`;
}

function grown(page: Page, text: string): string {
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

function callLine(page: Page, { id, tool, input }: { id: string; tool: string; input: unknown }): string {
  page.openCall = id;
  return `${page.look.style.tool(cleanLine(`[${tool}] ${callText(input)}`))}\n`;
}

/** What the last call prints is shown as it comes; of others only the end is. */
function printed(page: Page, id: string, text: string): string {
  if (page.openCall !== id) return '';
  if (page.printing !== id) {
    page.line = '';
    page.cleaner = createCleaner('return');
  }
  page.printing = id;
  const lines = overwritten((page.line ?? '') + page.cleaner.take(text));
  const end = lines.lastIndexOf('\n') + 1;
  page.line = lines.slice(end);
  return cleanPrinted(lines.slice(0, end));
}

function result(page: Page, shown: CallEnded): string {
  const remark = shown.remark === null ? '' : `(${cleanLine(shown.remark)})\n`;
  if (page.printing === shown.id) {
    page.printing = null;
    return ended(page) + remark;
  }
  const before = page.openCall === shown.id ? ended(page) : ended(page) + begin(page) + callLine(page, shown);
  const text = (shown.tool === 'bash' ? cleanPrinted : clean)(shown.text).trimEnd();
  if (text === '') return before + remark;
  const isSaid = `${text}\n`.endsWith(remark);
  return `${before}${excerpted(text, shown.id)}\n${isSaid ? '' : remark}`;
}

function excerpted(text: string, id: string): string {
  const { head, leftOut, tail } = excerptOf(text);
  if (leftOut === null) return head;
  const what = leftOut.lines > 1 ? count(leftOut.lines, 'line') : `${formatNumber(leftOut.characters)} characters`;
  return `${head.trimEnd()}\n… ${what} left out; all of it: /output ${shortId(id)}\n${tail}`;
}
