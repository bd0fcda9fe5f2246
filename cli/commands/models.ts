import { HubError } from '../../hub/base/error.js';
import { cliOption } from '../../hub/base/hint.js';
import { command } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { renderCheck, renderModels } from '../render/reports/model_list.js';
import { withCommandKey } from '../turn/key_command.js';
import { modelAccess } from '../turn/model_access.js';
import { modelRoute } from '../turn/model_route.js';
import { keysOf } from '../turn/run_turn.js';
import { windowPreferences } from '../turn/turn_options.js';

export const modelsCommand = command({
  name: 'models',
  summary: 'List servers of models, their models, and what is known of each.',
  details:
    'Without a server: all of them, with the models that have short names, those that your configuration names, and those of servers that run on this machine. Windows and prices come from a table that is part of the program, from your configuration (yours), or from the server. --check asks a model one tiny question, which costs what it says and is in no sum.',
  arguments: [{ name: 'server', required: false, description: 'all known models of this server', completes: null }],
  values: [
    {
      name: 'check',
      value: 'model',
      choices: null,
      description: 'ask this model a tiny question, and say whether it works',
    },
  ],
  examples: [
    { line: 'cognition models', does: 'lists servers and models' },
    { line: 'cognition models openai', does: 'lists every model of a server that is known' },
    { line: 'cognition models --check demo', does: 'says whether a model answers' },
  ],
  async run(input, context) {
    const [server, checked] = [input.argument('server'), input.value('check')];
    if (checked === undefined) return list(context, server ?? null);
    if (server === undefined) return check(context, checked);
    throw new HubError('invalid_params', 'models takes a server or --check, and not both', {
      hint: ['name the server with the model: ', cliOption('check', `${server}/<model>`)],
    });
  },
});

async function list(context: Context, server: string | null): Promise<number> {
  const client = await context.client();
  const listed = await client.call('agent.models', { access: modelAccess(context.preferences), server });
  if (context.json) await context.printJson(listed);
  else await context.out.write(renderModels(listed, await context.look([])));
  return EXIT.ok;
}

async function check(context: Context, model: string): Promise<number> {
  const client = await context.client();
  const access = modelAccess(context.preferences);
  const params = { model, access, route: modelRoute(), window: windowPreferences(context).window };
  const checked = await withCommandKey(keysOf(context, params), () => client.call('agent.model_check', params));
  if (context.json) await context.printJson(checked);
  else await context.out.write(`${renderCheck(checked)}\n`);
  return EXIT.ok;
}
