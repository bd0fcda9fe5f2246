import { callText } from '../../../hub/base/call_title.js';
import { clean, cleanLine, cleanPrinted } from '../text/clean.js';

/** `[bash] ls src`: a call in a line of its own, or with the beginning of a long argument. */
export function callLine({ tool, input }: { tool: string; input: unknown }, argumentLengthMax = Infinity): string {
  return cleanLine(`[${tool}] ${callText(input).slice(0, argumentLengthMax)}`);
}

/** What a call gave, safe to print. */
export function cleanOutput(tool: string, output: string): string {
  return (tool === 'bash' ? cleanPrinted : clean)(output);
}
