import { HubError } from '../../base/error.js';
import { mendedInput } from './mended_input.js';
import type { ModelCall } from './model_call.js';
import { TOOL_INPUTS, type ToolInputs, type ToolName } from './tool_definitions.js';

/** The input of a call, as its tool wants it. */
export function inputOf<Tool extends ToolName>(tool: Tool, { input }: ModelCall): ToolInputs[Tool];
export function inputOf(tool: ToolName, { input }: ModelCall): unknown {
  const parsed = TOOL_INPUTS[tool].safeParse(input);
  if (parsed.success) return parsed.data;
  const mended = TOOL_INPUTS[tool].safeParse(mendedInput(input, parsed.error.issues));
  if (mended.success) return mended.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  throw new HubError('invalid_params', `${tool} was not run: ${problems.join('; ')}`);
}
