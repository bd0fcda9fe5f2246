import { freshCallId, objectInput, type PastTurn, type SeedPlace, toolName } from './past_turn.js';

/** Turns as items of the Responses API, which Codex' app server puts into a thread with `thread/inject_items`. */
export function seedCodex(history: readonly PastTurn[], place: SeedPlace): object[] {
  return history.flatMap(({ role, text, calls }) => {
    const type = role === 'user' ? 'input_text' : 'output_text';
    const message = text === '' ? [] : [{ type: 'message', role, content: [{ type, text }] }];
    const made = calls.map((call) => ({ call, call_id: freshCallId(place) }));
    return [
      ...message,
      ...made.map(({ call: { tool, input }, call_id }) => ({
        ...{ type: 'function_call', name: toolName(tool), arguments: JSON.stringify(objectInput(input)), call_id },
      })),
      ...made.map(({ call: { output }, call_id }) => ({ type: 'function_call_output', call_id, output })),
    ];
  });
}
