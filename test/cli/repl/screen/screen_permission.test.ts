import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { withHome } from '../../../support/hub.js';
import { say } from '../../../support/model/script.js';
import { KEY, withModelServer } from '../../../support/model_server.js';
import { KEYS, withTerminal } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';

const isBubblewrapHere = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;
/** Everything as it is, but for the two programs that a sandbox is made with. */
const WITHOUT = ['/usr/bin/bwrap', '/usr/bin/unshare', '/usr/bin/perl'].flatMap((path) => [
  '--ro-bind',
  '/dev/null',
  path,
]);

test.runIf(isBubblewrapHere)(
  'permission is given by a letter after a pause, and never by Enter or by a line',
  async () => {
    await withModelServer((server) =>
      withHome(async (home) => {
        const folder = join(dirname(home), 'work');
        mkdirSync(folder);
        const options = {
          command: 'bwrap',
          args: ['--dev-bind', '/', '/', ...WITHOUT, process.execPath, PROGRAM, 'chat'],
          cwd: folder,
          env: {
            ...{ COGNITION_HOME: home, HOME: userHomeBeside(folder), COGNITION_MODEL: 'anthropic/claude-sonnet-5' },
            ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
          },
        };
        await withTerminal(options, async (terminal) => {
          server.script(bash('c1', 'touch one'), bash('c2', 'touch two'), say(words('All done.')));
          await terminal.waitFor('Commands: /help');
          terminal.type('go', KEYS.enter);
          await terminal.waitFor(/May this run UNSANDBOXED.*\$ touch one/s);
          await terminal.waitFor(/^y {2}allow it/m);
          terminal.type(' ', KEYS.enter, 'y', KEYS.enter);
          await terminal.waitFor('(it waits for your permission: /answer 1 gives it, /answer 3 does not)');
          await terminal.waitFor(/^> {1,2}y$/m);
          expect(existsSync(join(folder, 'one'))).toBe(false);
          terminal.type(KEYS.control('u'));
          await terminal.waitFor(/^y {2}allow it/m);
          terminal.type('y');
          await terminal.waitFor(/\$ touch two/);
          expect(existsSync(join(folder, 'one'))).toBe(true);
          await terminal.waitFor(/^y {2}allow it/m);
          terminal.type('n');
          await terminal.waitFor('All done.');
          expect(existsSync(join(folder, 'two'))).toBe(false);
        });
      }),
    );
  },
);
