import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { readPreferences } from '../../hub/config/config.js';
import type { Context } from '../command_line/command_context.js';

/** The argument that names a remote. */
export const REMOTE = {
  name: 'remote',
  required: false,
  description: 'what the remote is called here; the only one when left out',
  completes: null,
} as const;

/** The names of the remotes that the person has given addresses. */
export function remoteNames(context: Pick<Context, 'paths'>): string[] {
  return [...readPreferences({ home: context.paths.home, project: null, flags: {} }).remotes.keys()];
}

/** The remote that is named, or the only one. */
export function chosenRemote(context: Pick<Context, 'paths'>, named: string | undefined): string {
  const names = remoteNames(context);
  if (named !== undefined && names.includes(named)) return named;
  const [only, ...others] = names;
  if (named === undefined && only !== undefined && others.length === 0) return only;
  if (only === undefined) {
    throw new HubError(
      'not_found',
      named === undefined ? 'there is no remote' : `there is no remote ${JSON.stringify(named)}`,
      {
        hint: ['name one: ', cliCommand('remote add', named ?? 'team', 'postgres://user:password@host/database')],
      },
    );
  }
  const message = named === undefined ? 'there is more than one remote' : `there is no remote ${JSON.stringify(named)}`;
  throw new HubError(named === undefined ? 'ambiguous' : 'not_found', message, {
    hint: `say which: ${names.join(', ')}`,
  });
}
