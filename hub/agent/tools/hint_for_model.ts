import { hintText, nameOnCommandLine } from '../../base/hint.js';
import type { Hint } from '../../protocol/errors.js';
import type { ToolName } from './tool_definitions.js';

const TOOL_OF_METHOD: Readonly<Record<string, ToolName>> = {
  'bash.execute': 'bash',
  'file.edit': 'edit',
  'file.read': 'read',
  'file.write': 'write',
  'http.fetch': 'fetch',
};

/** A hint in the words of a model: its tools in place of methods, and what is its person's as such. Null where it could not act on it. */
export function hintForModel(hint: Hint, tools: readonly ToolName[]): string | null {
  const methods = typeof hint === 'string' ? [] : hint.filter((piece) => typeof piece === 'object');
  const isForOthers = methods.some((action) => action.kind === 'method' && toolOf(action.method, tools) === null);
  if (isForOthers) return null;
  return hintText(hint, (action) =>
    action.kind === 'method'
      ? (toolOf(action.method, tools) ?? '')
      : `${nameOnCommandLine(action)} (which the person may ${action.kind === 'command' ? 'run' : 'say'})`,
  );
}

function toolOf(method: string, tools: readonly ToolName[]): ToolName | null {
  const tool = TOOL_OF_METHOD[method];
  return tool !== undefined && tools.includes(tool) ? tool : null;
}
