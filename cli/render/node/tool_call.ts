import { callText } from '../../../hub/base/call_title.js';
import type { Look } from '../look/look.js';
import { cleanLine, cleanPrinted } from '../text/clean.js';
import { cut } from '../text/cut.js';
import { excerptOf } from '../text/cut_middle.js';
import { count } from '../text/ids_and_counts.js';
import { cleanOutput } from './call_line.js';
import { type Extent, renderDiff, renderWritten } from './diff.js';

/** A call that has ended. */
export interface EndedCall {
  tool: string;
  input: unknown;
  /** All that it gave, as the model was shown it. */
  output: string;
  failed: boolean;
  /** Null when nobody measured. */
  durationMs: number | null;
  /** How it ended, when that needs a word, such as `exit 1`. */
  remark: string | null;
}

/** How a call is shown as one row; `size` says how much it gave where not all of that is at hand. */
export interface FoldedCall extends EndedCall {
  size: string | null;
}

/** A call that runs. */
export interface RunningCall {
  tool: string;
  input: unknown;
  /** What it printed so far, or the end of it. */
  printed: string;
  elapsedMs: number;
}

const TAB = '    ';
const INDENT = '  ';
const ARGUMENT_COLUMNS_MIN = 4;

/** `> bash(ls src) -- 3 lines, 0.2 s`: in one row. */
export function renderFoldedCall(call: EndedCall | FoldedCall, look: Look): string {
  const size = 'size' in call ? call.size : null;
  const facts = [
    ...(call.remark === null ? [] : [cleanLine(call.remark)]),
    ...(call.failed && call.remark === null ? ['failed'] : []),
    size ?? (call.output === '' ? 'no output' : count(outputLines(call.output).length, 'line')),
    ...(call.durationMs === null ? [] : [formatSeconds(call.durationMs)]),
  ];
  return headOf(call, ` -- ${facts.join(', ')}`, look);
}

/** The call with what it did: the change of an edit, the first lines of a written file, else what it gave. */
export function renderOpenCall(call: EndedCall, look: Look): string[] {
  const { head, leftOut, tail } = excerptOf(outputOf(call));
  const between =
    leftOut === null ? [] : [look.style.quiet(`${look.glyphs.ellipsis} ${count(leftOut.lines, 'line')} left out`)];
  const output = [...outputLines(head), ...between, ...(leftOut === null ? [] : outputLines(tail))];
  const done = call.failed ? [] : renderChange(call, look, 'excerpt');
  return [renderFoldedCall(call, look), ...(done.length > 0 ? done : output).map((line) => (INDENT + line).trimEnd())];
}

/** The same with all that it did or gave. */
export function renderWholeCall(call: FoldedCall, look: Look): string[] {
  const done = call.failed ? [] : renderChange(call, look, 'whole');
  const body = done.length > 0 ? done : outputLines(outputOf(call));
  return [renderFoldedCall(call, look), ...body.map((line) => (INDENT + line).trimEnd())];
}

/** The call, how long it has been running, and the last rows of what it printed. */
export function renderRunningCall(call: RunningCall, rowsMax: number, look: Look): string[] {
  const last = outputLines(cleanPrinted(call.printed).replaceAll('\t', TAB).trimEnd()).slice(-rowsMax);
  const head = headOf(call, ` ${formatSeconds(Math.floor(call.elapsedMs / 1_000) * 1_000)}`, look);
  const room = look.width - 1 - INDENT.length;
  return [head, ...(rowsMax > 0 ? last : []).map((line) => look.style.quiet(INDENT + cut(line, room, look)))];
}

/** What a model thought before it spoke, in one row. */
export function renderFoldedThinking(text: string, look: Look): string {
  return look.style.quiet(cut(`> thinking -- ${count(outputLines(text.trim()).length, 'line')}`, look.width - 1, look));
}

/** 0.2 s, 12 s, 3 min 5 s. */
export function formatSeconds(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds % 1 === 0 ? seconds : seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** The tail stays, the argument is shortened. */
function headOf({ tool, input }: { tool: string; input: unknown }, tail: string, look: Look): string {
  const name = cleanLine(tool);
  const room = look.width - 1 - look.ruler.width(`> ${name}()${tail}`);
  const argument = cut(cleanLine(callText(input)), Math.max(ARGUMENT_COLUMNS_MIN, room), look);
  const whole = `> ${name}(${argument})${tail}`;
  if (look.ruler.width(whole) > look.width - 1) return look.style.tool(cut(whole, look.width - 1, look));
  return `${look.style.tool(`> ${name}(${argument})`)}${look.style.quiet(tail)}`;
}

function outputOf({ tool, output }: EndedCall): string {
  return cleanOutput(tool, output).replaceAll('\t', TAB);
}

function renderChange({ tool, input }: EndedCall, look: Look, extent: Extent): string[] {
  if (input === null || typeof input !== 'object') return [];
  if (tool === 'edit' && 'old_text' in input && 'new_text' in input) {
    return renderDiff({ oldText: String(input.old_text), newText: String(input.new_text) }, look, extent);
  }
  return tool === 'write' && 'content' in input ? renderWritten(String(input.content), look, extent) : [];
}

function outputLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
