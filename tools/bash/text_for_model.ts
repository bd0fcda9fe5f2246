import { excerptOf, isBinary } from '../../hub/base/head_and_tail.js';
import type { Block } from '../../hub/protocol/node.js';
import type { Spool } from '../process/spool.js';
import type { CommandEnd, CommandStart } from './command_records.js';

/** How much of an output a model is sent. */
const HEAD_BYTES = 10_000;
const TAIL_BYTES = 20_000;

/** The blocks of a command that a model is sent: its output, and how it ended if it did not end well. */
export function blocksForModel(start: CommandStart, end: CommandEnd, spool: Spool): Block[] {
  const printed = printedOf(start.id, spool);
  const notes = notesOf(end, spool);
  const lineBreak = printed.endsWith('\n') || notes === '' ? '' : '\n';
  return [{ type: 'text', text: `${printed}${lineBreak}${notes}` }];
}

function printedOf(id: string, spool: Spool): string {
  const totalBytes = spool.totalBytes();
  if (totalBytes === 0) return '(no output)';
  const { head, tail } = spool.ends(HEAD_BYTES + TAIL_BYTES, TAIL_BYTES);
  if (isBinary(head)) {
    return `(binary output, ${counted(totalBytes)}; a person reads it with: cognition output ${id.slice(0, 8)})`;
  }
  const excerpt = excerptOf({ head, tail, totalBytes }, { headBytes: HEAD_BYTES, tailBytes: TAIL_BYTES });
  if (excerpt.leftOutBytes === 0) return excerpt.head;
  const gap = `[… ${counted(excerpt.leftOutBytes)} left out of ${counted(totalBytes)}; to read on: read output:${id}; a person: cognition output ${id.slice(0, 8)} …]`;
  const lineBreak = excerpt.head.endsWith('\n') ? '' : '\n';
  return `${excerpt.head}${lineBreak}${gap}\n${excerpt.tail}`;
}

function notesOf({ exit_code, signal, reason, background_ended }: CommandEnd, spool: Spool): string {
  const gap = spool.headBytes();
  const problem = spool.problem();
  const notes = [
    reason,
    reason === null && signal !== null ? `ended by ${signal}` : null,
    exit_code !== null && exit_code !== 0 ? `exit code ${exit_code}` : null,
    background_ended > 0
      ? `${plural(background_ended, 'background process', 'background processes')} ended with it`
      : null,
    problem === null ? null : `the output was not kept whole: ${problem}`,
    problem === null && gap !== null ? 'only head and tail of the output are stored' : null,
  ];
  return notes.flatMap((note) => (note === null ? [] : [`(${note})`])).join('\n');
}

function counted(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
