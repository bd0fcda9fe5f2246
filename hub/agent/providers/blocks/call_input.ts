import { boundBroken } from '../../../base/json_bounds.js';
import { isJsonObject } from '../../../protocol/json.js';
import { JSON_COMMAS_MAX, JSON_CONTAINERS_MAX, JSON_DEPTH_MAX } from '../../../protocol/limits.js';
import type { ModelEvent } from '../../model/provider.js';

const BOUNDS = { levels: JSON_DEPTH_MAX, containers: JSON_CONTAINERS_MAX, commas: JSON_COMMAS_MAX };
const SHOWN_MAX = 200;

/** A call as it was written by a model. */
export interface WrittenCall {
  id: string;
  tool: string;
  text: string;
}

/** The call that a model has written, or what is wrong with it. No text at all is no arguments. */
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
  if (input === undefined) return malformed(`is not valid JSON: ${shown(text)}`);
  if (!isJsonObject(input)) return malformed(`is not a JSON object with finite numbers: ${shown(text)}`);
  return { kind: 'call_made', call: { type: 'call', id, tool, input } };
}

function parsed(text: string): unknown {
  try {
    const wellFormed: unknown = JSON.parse(text, (_key, value) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    );
    return wellFormed;
  } catch {
    return undefined; // what models write is often no JSON: an expected outcome
  }
}

function shown(text: string): string {
  const line = text.toWellFormed();
  return line.length <= SHOWN_MAX ? line : `${line.slice(0, SHOWN_MAX)}…`;
}
