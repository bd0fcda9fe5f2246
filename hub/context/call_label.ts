import { callText } from '../base/call_title.js';

const LABEL_LENGTH_MAX = 200;

/** The label of a call in a rendered path: its tool and its input, on one line of bounded length. */
export function callLabel({ tool, input }: { tool: string; input: unknown }): string {
  const text = `${tool}:${callText(input)}`;
  const line = [...text.slice(0, 4 * LABEL_LENGTH_MAX).replace(/\s+/g, ' ')];
  return `[${line.length > LABEL_LENGTH_MAX ? `${line.slice(0, LABEL_LENGTH_MAX - 1).join('')}…` : line.join('')}]`;
}
