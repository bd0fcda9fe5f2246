import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { ResultOf } from '../../hub/protocol/methods/method_table.js';
import { CURRENT_TREE, command } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { positionOf } from '../position/position.js';
import { findTree } from '../position/reference.js';
import { cleanLine } from '../render/text/clean.js';

type Permission = ResultOf<'agent.permission_list'>['permissions'][number];

export const permissionsCommand = command({
  name: 'permissions',
  summary: 'List what you have permitted in a conversation at level ask, or take it back.',
  details:
    'What was permitted for more than one call, on the branch where you stand, with a number for each. With --forget the model asks again, from the next turn on: for the one with the number, or without a number for all.',
  arguments: [CURRENT_TREE, { name: 'number', required: false, description: 'one of them', completes: null }],
  flags: [{ name: 'forget', short: null, description: 'take it back' }],
  examples: [
    { line: 'cognition permissions', does: 'lists what is permitted where you stand' },
    { line: 'cognition permissions @ --forget', does: 'takes all of it back' },
  ],
  async run(input, context) {
    const isForgetting = input.flag('forget');
    const tree = await findTree(context, input.argument('tree') ?? '@', isForgetting ? 'change' : 'read');
    const node = await positionOf(context, tree, undefined);
    const client = await context.client();
    const { permissions } = await client.call('agent.permission_list', { node });
    const number = input.argument('number');
    const chosen = number === undefined ? permissions : [numbered(permissions, number)];
    if (!isForgetting) {
      if (context.json) await context.printJson({ permissions: chosen });
      else await context.out.write(listText(permissions, chosen));
      return EXIT.ok;
    }
    const ids = chosen.map(({ id }) => id);
    const { withdrawn } =
      ids.length === 0 ? { withdrawn: [] } : await client.call('agent.permission_withdraw', { node, ids });
    if (context.json) await context.printJson({ withdrawn });
    else
      await context.out.write(
        withdrawn.length === 0 ? NOTHING : withdrawn.map((one) => `taken back: ${cleanLine(one)}\n`).join(''),
      );
    return EXIT.ok;
  },
});

const NOTHING = 'Nothing is permitted here for more than one call.\n';

function listText(all: readonly Permission[], chosen: readonly Permission[]): string {
  if (all.length === 0) return NOTHING;
  return chosen.map((one) => `${all.indexOf(one) + 1}  ${cleanLine(one.text)}\n`).join('');
}

function numbered(permissions: readonly Permission[], number: string): Permission {
  const found = /^\d+$/.test(number) ? permissions[Number(number) - 1] : undefined;
  if (found !== undefined) return found;
  throw new HubError('not_found', `there is no permission ${JSON.stringify(number)} here`, {
    hint: ['list them: ', cliCommand('permissions', '@')],
  });
}
