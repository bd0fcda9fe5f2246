import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { approvalProblem } from '../../../../hub/agent/tools/person_questions.js';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { withHome } from '../../../support/hub.js';
import { say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';
import { treeOn } from '../screen/screen_talk.js';

const isBubblewrapHere = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;
/** Everything as it is, but for the two programs that a sandbox is made with. */
const WITHOUT = ['/usr/bin/bwrap', '/usr/bin/unshare', '/usr/bin/perl'].flatMap((path) => [
  '--ro-bind',
  '/dev/null',
  path,
]);

test.each([
  ['letters that are drawn as nothing', 'rm -rf ./build\u3164 /tmp/x'],
  ['a filler of Hangul', 'l\u115fs'],
  ['a blank that bash takes for a letter', 'rm -rf\u00a0/tmp/x'],
  ['a wide blank', 'rm\u3000x'],
  ['a pattern of Braille without dots', 'rm \u2800x'],
  ['joiners and spaces without width', 'l\u200bs \u2060x'],
  ['tags', 'ls \u{e0072}\u{e006d}'],
  ['a selector of variants', 'ls x\ufe01'],
  ['signs that reorder a line', 'ls \u202ehs.x'],
  ['control sequences', 'echo \x1b]0;rm -rf x;\x07'],
  ['a carriage return', 'rm x\rls  '],
])('a command with %s cannot be allowed', (_, command) => {
  expect(approvalProblem(command)?.message).toBe(
    'bash was not run: a person must allow each command here, and this one holds characters that they would not see',
  );
});

test.each(['git commit -m "⚠️ größer 数据 नमस्ते"', 'cat <<E\n\tone\n\ttwo\nE', 'x'.repeat(4_096)])(
  'a command in any language, with tabs and lines, can be allowed: %s',
  (command) => {
    expect(approvalProblem(command)).toBeNull();
  },
);

interface Asking {
  terminal: TestTerminal;
  server: ModelServer;
  folder: string;
  another<T>(tree: string, use: (terminal: TestTerminal) => Promise<T>): Promise<T>;
}

/** A chat where no sandbox works. */
function withoutSandbox(use: (asking: Asking) => Promise<void>): Promise<void> {
  return withModelServer((server) =>
    withHome(async (home) => {
      const folder = join(dirname(home), 'work');
      mkdirSync(folder);
      const start = (args: readonly string[]) => ({
        command: 'bwrap',
        args: ['--dev-bind', '/', '/', ...WITHOUT, process.execPath, PROGRAM, 'chat', ...args],
        cwd: folder,
        env: {
          ...{ COGNITION_HOME: home, HOME: userHomeBeside(folder), COGNITION_MODEL: 'anthropic/claude-sonnet-5' },
          ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
        },
      });
      await withTerminal(start([]), (terminal) =>
        use({ terminal, server, folder, another: (tree, work) => withTerminal(start([tree]), work) }),
      );
    }),
  );
}

const MAY_PERMIT = /^y {2}allow it/m;

test.runIf(isBubblewrapHere)(
  'keys that were typed ahead, a paste and a long press allow nothing, and a long command is shown whole',
  async () => {
    await withoutSandbox(async ({ terminal, server, folder }) => {
      const long = `touch one # ${'x'.repeat(3_900)} end of it`;
      server.script(bash('c1', long), bash('c2', 'touch two'), say(words('All done.')));
      await terminal.waitFor('Commands: /help');
      terminal.type('go', KEYS.enter);
      await terminal.waitFor('working');
      terminal.type('y');
      await terminal.waitFor('Answer with: /answer 1, 2 or 3');
      for (let press = 0; press < 40; press++) terminal.type('y');
      await terminal.waitFor(/> y{40,}/);
      expect(existsSync(join(folder, 'one'))).toBe(false);
      expect(terminal.transcript().join('')).toContain(long);
      terminal.type(KEYS.control('u'));
      await terminal.waitFor(MAY_PERMIT);
      terminal.paste('y');
      await terminal.waitFor(/^> {1,2}y$/m);
      terminal.resize(60, 15);
      terminal.resize(90, 30);
      terminal.type(KEYS.control('u'));
      await terminal.waitFor(MAY_PERMIT);
      expect(existsSync(join(folder, 'one'))).toBe(false);
      terminal.type('y');
      await terminal.waitFor(/\$ touch two/);
      expect(existsSync(join(folder, 'one'))).toBe(true);
      await terminal.waitFor(MAY_PERMIT);
      terminal.type('n');
      await terminal.waitFor('All done.');
      expect(existsSync(join(folder, 'two'))).toBe(false);
    });
  },
);

test.runIf(isBubblewrapHere)(
  'a question that two terminals see is answered once, and the other one stops asking',
  async () => {
    await withoutSandbox(async ({ terminal, server, folder, another }) => {
      server.script(bash('c1', 'touch one'), bash('c2', 'touch two'), say(words('All done.')));
      await terminal.waitFor('Commands: /help');
      terminal.type('go', KEYS.enter);
      await terminal.waitFor(MAY_PERMIT);
      await another(treeOn(terminal), async (second) => {
        await second.waitFor(MAY_PERMIT);
        second.type('n');
        await terminal.waitFor(/\$ touch two/);
        // Whoever was about to answer the first one has not answered the second.
        terminal.type('y');
        await terminal.waitFor(/> {1,2}y$/m);
        expect(existsSync(join(folder, 'two'))).toBe(false);
        terminal.type(KEYS.control('u'));
        await terminal.waitFor(MAY_PERMIT);
        terminal.type('n');
        await terminal.waitFor('All done.');
        await second.waitFor('All done.');
      });
      expect(existsSync(join(folder, 'one'))).toBe(false);
      expect(existsSync(join(folder, 'two'))).toBe(false);
    });
  },
);

test.runIf(isBubblewrapHere)('nobody allows a command that they have not been shown', async () => {
  await withoutSandbox(async ({ terminal, server, folder, another }) => {
    await terminal.waitFor('Commands: /help');
    server.script(say(words('Hello.')), bash('c1', 'touch one'), say(words('All done.')));
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor(/^Hello\.$/m);
    await another(treeOn(terminal), async (second) => {
      await second.waitFor('Commands: /help');
      second.type('/goto root', KEYS.enter);
      await second.waitFor('You are at');
      terminal.type('go', KEYS.enter);
      await terminal.waitFor(MAY_PERMIT);
      second.type('/answer 1', KEYS.enter);
      await second.waitFor('nothing was answered: this had not been asked here yet');
      expect(second.transcript().join('\n')).toContain('  $ touch one\n');
      expect(existsSync(join(folder, 'one'))).toBe(false);
      second.type('/answer 1', KEYS.enter);
      await terminal.waitFor('All done.');
      expect(existsSync(join(folder, 'one'))).toBe(true);
    });
  });
});
