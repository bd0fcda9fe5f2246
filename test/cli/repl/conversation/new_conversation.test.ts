import { expect, test } from 'vitest';
import { PROGRAM, userHomeBeside, withCli } from '../../../support/cli.js';
import { KEYS, withTerminal } from '../../../support/terminal.js';
import { after, withTalk } from './talk.js';

const ANSWER = /I cannot answer that/;

test('the model that a chat was begun with answers in each of its new conversations', () =>
  withTalk(async ({ notes }) => {
    const { stdout } = await notes(['hello', '/new', 'hello again', '/quit'], '--model', 'demo');
    expect(after(stdout, 'hello')).toMatch(ANSWER);
    expect(after(stdout, 'hello again')).toMatch(ANSWER);
  }));

test('the model that was chosen last answers in a new conversation', () =>
  withTalk(async ({ notes }) => {
    const { stdout } = await notes(['/model demo', 'hello', '/new', 'hello again', '/quit']);
    expect(after(stdout, 'hello again')).toMatch(ANSWER);
  }));

test('the program alone, at a terminal, opens a chat; elsewhere it tells how it is used', () =>
  withCli(async ({ home, folder, run }) => {
    const alone = {
      ...{ command: process.execPath, args: [PROGRAM], cwd: folder },
      env: { COGNITION_HOME: home, HOME: userHomeBeside(folder), TERM_PROGRAM: 'vscode' },
    };
    await withTerminal(alone, async (terminal) => {
      await terminal.waitFor('Starting new conversation...');
      terminal.type('/quit', KEYS.enter);
      expect(await terminal.exited).toMatchObject({ code: 0 });
    });
    expect(await run([])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: cognition/) });
  }));
