import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM, type TestCli, userHomeBeside, withCli } from '../../support/cli.js';
import { KEYS, type TestTerminal, withTerminal } from '../../support/terminal.js';
import { withModel } from '../repl/commands/command_talk.js';
import { idle } from '../repl/screen/screen_talk.js';

function onTerminal<T>(
  { home, folder }: TestCli,
  words: readonly string[],
  use: (terminal: TestTerminal) => Promise<T>,
): Promise<T> {
  const env = { COGNITION_HOME: home, HOME: userHomeBeside(folder) };
  return withTerminal({ command: process.execPath, args: [PROGRAM, ...words], cwd: folder, env }, use);
}

const MESSAGE = `go
demo[good]: run echo good > out.txt
demo[good]: then
demo[good]: say Done.
demo[asking]: run echo never
demo[slow]: run sleep 1000
demo[greedy]: call read {"path":"a.txt"}
demo[greedy]: then
demo[greedy]: call read {"path":"a.txt"}
demo[greedy]: then
demo[greedy]: say I am never heard.`;
const COMMANDS = /echo good|echo never|sleep 1000/g;

/** Answers what the lanes ask, in whatever order: yes to all but one, which goes on waiting. */
async function answerLanes(terminal: TestTerminal): Promise<void> {
  for (let count = 1; count <= 3; count += 1) {
    await terminal.waitFor(
      () =>
        (
          terminal
            .transcript()
            .join('\n')
            .match(/Your answer, or a number:/g) ?? []
        ).length === count,
    );
    const question = terminal.transcript().join('\n').match(COMMANDS)?.at(-1);
    terminal.type(...(question === 'echo never' ? [] : ['1']), KEYS.enter);
  }
}

test('four lanes on a terminal: one is stopped, one at its limit, one waits for the person, and one wins, is picked and taken back', () =>
  withCli(async (cli) => {
    const { folder, print, run } = cli;
    writeFileSync(join(folder, 'a.txt'), 'mine\n');
    const lanes = 'demo/good,demo/asking,demo/slow,demo/greedy';
    const words = [
      'race',
      MESSAGE,
      '--with',
      lanes,
      '--level',
      'ask',
      '--max-turns',
      '2',
      '--check',
      'grep -q good out.txt',
    ];
    await onTerminal(cli, words, async (terminal) => {
      await terminal.waitFor('4 lanes, no limit');
      await answerLanes(terminal);
      await terminal.waitFor((screen) =>
        /^2\. demo\/asking {2}waits for you.*\n1\. demo\/good +done +check ok +1 file +\+1 -0.*\n3\. demo\/slow +works.*\n4\. demo\/greedy +at its limit/m.test(
          screen.join('\n'),
        ),
      );
      terminal.resize(40, 24);
      await terminal.waitFor(
        (screen) => screen.some((row) => /^3\. demo\/slow +works/.test(row)) && screen.every((row) => row.length <= 40),
      );
      expect(await print('race', '--stop', '3')).toBe('Stopped lane 3.\n');
      await terminal.waitFor('cognition pick 1');
      expect((await terminal.exited).code).toBe(0);
    });
    expect((await run(['race'])).stdout).toMatch(
      /^2\. demo\/asking +waits for you.*\n1\. .*check ok.*\n3\. demo\/slow +stopped.*\n4\. .*at its limit/,
    );
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
    expect(await print('pick', '1')).toBe('A  out.txt\n');
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('good\n');
    await print('files', 'undo');
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('mine\n');
  }));

test('a check that nobody has run is run once, by whoever looks at the board', () =>
  withCli(async (cli) => {
    const { folder, run, print } = cli;
    const race = await run([
      'race',
      'demo: run echo made > out.txt\ndemo: then\ndemo: say Done.',
      '--with',
      'demo',
      '--level',
      'ask',
      '--check',
      'echo checked >> out.txt; cat out.txt',
    ]);
    expect(race).toMatchObject({ code: 8, stdout: expect.stringMatching(/^1\. demo {2}waits for you/) });
    expect((await run(['answer', '1'])).code).toBe(0);
    await onTerminal(cli, ['race'], async (terminal) => {
      await terminal.waitFor(/^1\. demo {2}done {2}check ok/m);
      expect((await terminal.exited).code).toBe(0);
    });
    expect(await print('race')).toMatch(/^1\. demo {2}done {2}check ok/);
    // What the check has written is no part of what is taken.
    await print('pick', '1');
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('made\n');
  }));

test('a chat starts a race, goes on meanwhile, takes a lane, and merges what another has found', () =>
  withModel(
    async ({ does, folder, terminal }) => {
      await does('hello', /no AI/);
      await idle(terminal);
      await does('/race write a program --with demo/hasty,demo --check "sh hello-demo.sh"', '2 lanes');
      // The board stands above the editor meanwhile, and what the lanes say in their branches.
      await terminal.waitFor((screen) => /^1\. demo\/hasty .*\n2\. demo .*\n(?:.*\n)?> /m.test(screen.join('\n')));
      await does('demo: say I am here.', 'I am here.');
      await terminal.waitFor(/2\. demo +done +check ok/);
      expect(terminal.transcript().join(' ')).not.toMatch(/another terminal|goes on below|made a branch|Now I try it/i);
      expect(existsSync(join(folder, 'hello-demo.sh'))).toBe(false);
      await does('/race', /1\. demo\/hasty +done +check 2/);
      await terminal.waitFor(/What the check of lane 1 printed: \/output \w{8}/);
      await does('/take 2', 'hello-demo.sh');
      expect(existsSync(join(folder, 'hello-demo.sh'))).toBe(true);
      await does('/files undo', 'Took back');
      expect(existsSync(join(folder, 'hello-demo.sh'))).toBe(false);
    },
    { args: ['--model', 'demo'] },
  ));
