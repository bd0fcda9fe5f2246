import { callTextOf, speakerOf, untoldExit } from '../node/node_text.js';
import { bodyOf, resultOf } from '../node/whole_call.js';
import { shortId } from '../text/ids_and_counts.js';
import type { DocumentFormat } from './document.js';

/** Plain text: who speaks, then what was said. */
export const textFormat: DocumentFormat = {
  begin: () => '',
  fork: ({ number, of, from }) => `--- branch ${number} (one of ${of} from ${shortId(from)}) ---\n\n`,
  node: (node) => {
    if (node.role === 'root') return '';
    const text = resultOf(node);
    if (node.kind === 'text') return text === '' ? '' : `${speakerOf(node)}: ${text}\n\n`;
    const exit = untoldExit(node, text);
    const failed = exit === null ? '' : `exit ${exit}\n`;
    const parts = [bodyOf(node)?.text.trimEnd() ?? '', text].filter((part) => part !== '');
    return `${speakerOf(node)} ${callTextOf(node)}\n${parts.map((part) => `${part}\n`).join('')}${failed}\n`;
  },
  end: () => '',
};
