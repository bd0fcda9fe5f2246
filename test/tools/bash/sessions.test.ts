import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refused } from './refused.js';
import { ENVIRONMENT, withSession } from './session.js';

const OUTSIDE = ['../..', '../../..', '/', '.', '..', '', 'session-../..', 'session-00000000/../..', 'session-none'];

test('an id of a session that leads to another folder is refused by every method, and nothing is removed', () =>
  withSession(async ({ client, home, folder }) => {
    const canary = join(home, 'tmp', 'canary');
    mkdirSync(canary, { recursive: true });
    writeFileSync(join(canary, 'file'), '');
    for (const session of OUTSIDE) {
      const opening = { session, cwd: folder, environment: ENVIRONMENT, policy: { kind: 'open' as const } };
      const calls = [
        client.call('bash.close', { session }),
        client.call('bash.execute', { session, command: 'true' }),
        client.call('bash.open', opening),
      ];
      for (const call of calls) expect(await refused(call)).toMatchObject({ kind: 'invalid_params' });
    }
    expect([existsSync(join(canary, 'file')), existsSync(join(home, 'trees.db')), existsSync(folder)]).toEqual([
      true,
      true,
      true,
    ]);
  }));
