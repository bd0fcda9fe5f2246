import { callText } from '../../base/call_title.js';
import type { AgentEvent } from '../../protocol/turn.js';
import type { CallSurroundings } from '../tools/model_call.js';

/** Characters of a call on its line. */
const LINE_LENGTH_MAX = 200;

/** Makes output of a call from the events of its sub-session: what it says, and a line for each call that it makes. */
export function progressOutput(onOutput: CallSurroundings['onOutput']): (event: AgentEvent) => void {
  let offset = 0;
  let isLineBegun = false;

  function print(text: string): void {
    if (text === '') return;
    const bytes = Buffer.from(text);
    onOutput({ kind: 'output', from: 'stdout', offset, data: bytes.toString('base64') });
    offset += bytes.length;
    isLineBegun = !text.endsWith('\n');
  }

  function printLine(text: string): void {
    print(`${isLineBegun ? '\n' : ''}${text}\n`);
  }

  return (event) => {
    switch (event.kind) {
      case 'text_added':
        print(event.text);
        break;
      case 'call_started':
        printLine(lineOf(`[${event.tool}] ${callText(event.input)}`));
        break;
      case 'request_failed':
        if (event.retry_in_ms !== null) {
          printLine(lineOf(`(${event.message}; again in ${Math.ceil(event.retry_in_ms / 1_000)} s)`));
        }
        break;
      case 'answer_restarted':
        printLine('(the answer starts again)');
        break;
      case 'step_committed':
        if (isLineBegun) print('\n');
    }
  };
}

function lineOf(text: string): string {
  const line = text.slice(0, 4 * LINE_LENGTH_MAX).replace(/\s+/g, ' ');
  const characters = [...line];
  return characters.length > LINE_LENGTH_MAX ? `${characters.slice(0, LINE_LENGTH_MAX).join('')}…` : line;
}
