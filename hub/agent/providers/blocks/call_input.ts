import { boundBroken } from '../../../base/json/json_bounds.js';
import { isJsonObject } from '../../../protocol/json.js';
import { JSON_COMMAS_MAX, JSON_CONTAINERS_MAX, JSON_DEPTH_MAX } from '../../../protocol/limits.js';
import type { ModelEvent } from '../../model/provider.js';

const BOUNDS = { levels: JSON_DEPTH_MAX, containers: JSON_CONTAINERS_MAX, commas: JSON_COMMAS_MAX };
const EXCERPT_LENGTH_MAX = 200;

/** A call as a model wrote it. */
export interface WrittenCall {
  id: string;
  tool: string;
  text: string;
}

/** The call that a model wrote, or what is wrong with it. An empty text means no arguments. */
export function finishedCall({ id, tool, text }: WrittenCall): ModelEvent {
  const malformed = (problem: string): ModelEvent => ({
    kind: 'call_malformed',
    id,
    tool,
    text: text.toWellFormed(),
    problem: `the input of ${tool} ${problem}; nothing was done, write the call again`,
  });
  if (text.trim() === '') return { kind: 'call_made', call: { type: 'call', id, tool, input: {} } };
  const broken = boundBroken(Buffer.from(text), BOUNDS);
  if (broken !== null) return malformed(`has too many ${broken}`);
  const input = parsed(text);
  if (input === undefined) return malformed(`is not valid JSON: ${excerpt(text)}`);
  if (!isJsonObject(input)) return malformed(`is not a JSON object with finite numbers: ${excerpt(text)}`);
  return { kind: 'call_made', call: { type: 'call', id, tool, input } };
}

function parsed(text: string): unknown {
  try {
    const wellFormed: unknown = JSON.parse(text, (_key, value) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    );
    return wellFormed;
  } catch {
    return undefined; // models often write text that is no JSON: an expected outcome
  }
}

function excerpt(text: string): string {
  const line = text.toWellFormed();
  return line.length <= EXCERPT_LENGTH_MAX ? line : `${line.slice(0, EXCERPT_LENGTH_MAX)}…`;
}
