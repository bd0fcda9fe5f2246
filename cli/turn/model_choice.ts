import { HubError } from '../../hub/base/error.js';
import { cliOption } from '../../hub/base/hint.js';
import type { Context } from '../command_line/command_context.js';
import { modelAccess } from './model_access.js';

/** A model by its name, its provider, or both. */
interface ModelName {
  model: string | undefined;
  provider: string | undefined;
}

/** The name of the chosen model, which the hub resolves; null when none is named. */
export async function modelNamed(context: Context, { model, provider }: ModelName): Promise<string | null> {
  if (provider === undefined) return model ?? null;
  const client = await context.client();
  const { providers, aliases } = await client.call('agent.providers', { access: modelAccess(context.preferences) });
  const match = providers.find(({ name }) => name === provider.toLowerCase());
  if (match === undefined) {
    throw new HubError('invalid_params', `there is no provider ${JSON.stringify(provider)}`, {
      hint: `there are: ${providers.map(({ name }) => name).join(', ')}`,
    });
  }
  if (model === undefined) {
    if (match.usual_model !== null) return match.usual_model;
    throw new HubError('invalid_params', `${match.name} has no usual model`, {
      hint: ['name one: ', cliOption('model', '<model>')],
    });
  }
  const begin = `${match.name}/`;
  const alias = aliases.find(({ name }) => name === model.toLowerCase());
  if (alias?.model.startsWith(begin) === true) return alias.model;
  return model.startsWith(begin) ? model : `${begin}${model}`;
}
