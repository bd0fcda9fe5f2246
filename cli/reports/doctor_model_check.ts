import { HubError } from '../../hub/base/error.js';
import { hintText } from '../../hub/base/hint.js';
import type { Context } from '../command_line/command_context.js';
import { reasonOf } from '../output/failure.js';
import type { Check } from '../render/reports/doctor_report.js';
import { modelAccess } from '../turn/model_access.js';
import { ok, warn } from './doctor_verdicts.js';

/** Tells who would answer in a new conversation, and whether there is a key, which is never shown. */
export async function checkModel(context: Context): Promise<Check> {
  const access = modelAccess();
  try {
    const client = await context.client();
    const usual = context.preferences.get('model') || null;
    const { model } = await client.call('agent.check', { access, usual_model: usual });
    const provider = model.slice(0, model.indexOf('/'));
    const { providers } = await client.call('agent.providers', {});
    const isKeyless = providers.some(({ name, needs_key }) => name === provider && !needs_key);
    const without = isKeyless ? 'which needs no key' : 'without a key';
    return ok('model', `${model}, ${access[provider]?.key == null ? without : 'with the key of your environment'}`);
  } catch (error) {
    const hint = error instanceof HubError && error.hint !== null ? hintText(error.hint) : null;
    return warn('model', `none: ${reasonOf(error)}`, hint);
  }
}
