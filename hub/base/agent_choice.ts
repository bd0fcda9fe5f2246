import type { ModelChoice } from '../protocol/outside_agent.js';
import { HubError } from './error.js';
import { cliCommand } from './hint.js';

export type CarriedModel = Extract<ModelChoice, { kind: 'carried' }>;

/** The agent that a name comes to; a name that comes to none is refused with what to do. */
export function requireCarried(name: string, choice: ModelChoice): CarriedModel {
  if (choice.kind === 'carried') return choice;
  throw refusal(name, choice);
}

function refusal(name: string, choice: Exclude<ModelChoice, CarriedModel>): HubError {
  const details = { choice: choice.kind };
  const own = cliCommand('config', 'set', 'agents.models', `${JSON.stringify(`${name.slice(0, 100)}=<agent>`)}`);
  switch (choice.kind) {
    case 'unknown': {
      const near = choice.near === null ? '' : `did you mean ${choice.near}? otherwise `;
      return new HubError('not_found', `there is no agent and no model ${JSON.stringify(name)}`, {
        hint: [`${near}the agents are listed by: `, cliCommand('agents'), '; add a model with: ', own],
        details,
      });
    }
    case 'not_carried':
      return new HubError('invalid_params', `no agent carries the model ${choice.model}`, {
        hint: [
          'ask it without one: ',
          cliCommand('ask', '"task"', '--model', choice.model),
          '; or say which does: ',
          own,
        ],
        details,
      });
    case 'deprecated':
      return new HubError('invalid_params', `the model ${choice.model} is deprecated`, {
        hint: `take ${choice.instead} instead`,
        details,
      });
  }
}
