import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { callText } from '../../../hub/base/call_title.js';
import { shortened } from '../../../hub/base/head_and_tail.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import type { ExchangeEvent } from '../../../hub/protocol/outside_agent.js';
import { valueOrNull } from '../../sandbox/attempt.js';

/** What is kept of one run; an agent that goes on is heard, and no more of it kept. */
const RUN_BYTES_MAX = 10_000_000;
/** What a model is told of a run: the calls, without the answer, which stands below it. */
const TOLD_BYTES_MAX = 8_000;
const CALL_LENGTH_MAX = 200;
const RESULT_LENGTH_MAX = 400;

/** What an agent did in one exchange, as a text that grows on the disk. */
export interface RunText {
  /** False when no more of it is kept. */
  add(event: ExchangeEvent): boolean;
  calls(): number;
  /** All of it. */
  bytes(): Buffer;
  /** What a model is told of it. */
  told(): string;
  remove(): void;
}

export function openRunText(folder: string, id: NodeId): RunText {
  const path = join(folder, `${id}.txt`);
  const told: string[] = [];
  let bytes = 0;
  let calls = 0;
  let endsLine = true;
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  function write(text: string, isLine: boolean): boolean {
    if (text === '') return true;
    const piece = isLine ? `${endsLine ? '' : '\n'}${text}\n` : text;
    bytes += Buffer.byteLength(piece);
    if (bytes > RUN_BYTES_MAX) return false;
    endsLine = piece.endsWith('\n');
    // On a full disk the exchange goes on.
    valueOrNull(() => appendFileSync(path, piece, { mode: 0o600 }));
    return true;
  }

  return {
    add(event) {
      switch (event.kind) {
        case 'text':
          return write(event.text, false);
        case 'call_started': {
          calls += 1;
          const title = `[${event.tool}] ${callText(event.input)}`;
          told.push(title.slice(0, CALL_LENGTH_MAX));
          return write(title, true);
        }
        case 'call_ended': {
          const words = event.text.trimEnd();
          told.push(`${event.failed ? '(failed) ' : ''}${words.slice(-RESULT_LENGTH_MAX)}`);
          return write(words, true);
        }
        case 'noted':
          return write(`(${event.text})`, true);
        case 'asked':
          return write(`(asks: ${event.text})`, true);
        case 'opened':
        case 'thinking':
        case 'used':
        case 'ended':
          return true;
      }
    },
    calls: () => calls,
    bytes: () => valueOrNull(() => readFileSync(path)) ?? Buffer.alloc(0),
    told: () => shortened(told.filter((line) => line !== '').join('\n'), TOLD_BYTES_MAX).text,
    remove: () => rmSync(path, { force: true }),
  };
}
