import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { withArguments } from '../../../../cli/input/own_command.js';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { userHomeBeside } from '../../../support/cli.js';
import { say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { after, withTalk } from '../conversation/talk.js';
import { withTalkOnScreen } from '../screen/screen_talk.js';

function write(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
}

test('a Markdown file of the project or the person is a command that says its text, with the words behind it', async () => {
  await withTalk(async ({ cli, server, chat }) => {
    server.script(say(words('Read.')), say(words('Greeted.')));
    write(
      join(cli.folder, '.cognition/commands'),
      'review.md',
      '---\ndescription: read it\n---\nReview $1 for $ARGUMENTS.\n',
    );
    write(join(userHomeBeside(cli.folder), '.agents/commands'), 'greet.md', 'Say hello.\n');
    write(join(userHomeBeside(cli.folder), '.claude/commands'), 'review.md', 'not this one');
    write(join(userHomeBeside(cli.folder), '.claude/commands'), 'help.md', 'nor this one');
    const { stdout } = await chat(['/review src well', '/greet the world', '/help', '/rview']);
    expect(after(stdout, '/review src well')).toBe('');
    expect(stdout).toContain('> Review src for src well.\n\nRead.\n');
    expect(stdout).toContain('> Say hello.\n\nthe world\n\nGreeted.\n');
    expect(after(stdout, '/help')).toMatch(/^ *\/fork/m);
  });
});

test('a command that leads out of the project is none', async () => {
  await withTalk(async ({ cli, chat }) => {
    write(dirname(cli.folder), 'secret.md', 'secret');
    mkdirSync(join(cli.folder, '.claude/commands'), { recursive: true });
    symlinkSync(join(dirname(cli.folder), 'secret.md'), join(cli.folder, '.claude/commands/secret.md'));
    const { stdout, stderr } = await chat(['/secret']);
    expect(stderr).toContain('there is no command /secret');
    expect(stdout).not.toContain('> secret');
  });
});

test('own commands are completed', async () => {
  await withTalkOnScreen([], async ({ folder, another }) => {
    write(join(folder, '.cognition/commands'), 'zebra.md', '---\ndescription: count the stripes\n---\nstripes');
    await another([], async (terminal) => {
      await terminal.waitFor('Commands: /help');
      terminal.type('/z');
      await terminal.waitFor((screen) => {
        if (screen.join('\n').includes('count the stripes')) return true;
        // They are listed soon after the chat has opened.
        terminal.type(KEYS.backspace, 'z');
        return false;
      });
    });
  });
});

test('words stand where the text wants them, else behind it', () => {
  expect(withArguments('do $ARGUMENTS now', 'a b')).toBe('do a b now');
  expect(withArguments('$2 before $1, no $3', 'a b')).toBe('b before a, no ');
  expect(withArguments('costs $10 and $ARGUMENTSX', 'a')).toBe('costs $10 and $ARGUMENTSX\n\na');
  expect(withArguments('plain', '')).toBe('plain');
});
