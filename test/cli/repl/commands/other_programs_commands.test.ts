import { expect, test } from 'vitest';
import { REPL_COMMANDS } from '../../../../cli/repl/commands/chat_command_table.js';
import { hintElsewhere } from '../../../../cli/repl/commands/other_programs_commands.js';
import { after, withTalk } from '../conversation/talk.js';

test('commands that other programs have are answered with what does the same here', () => {
  expect(hintElsewhere('resume')).toBe('see conversations with /list, and go on in one with /use <id>');
  expect(hintElsewhere('init')).toContain('AGENTS.md');
  expect(hintElsewhere('constructor')).toBeNull();
  expect(hintElsewhere('xyzzyx')).toBeNull();
});

test('no command of the chat is mistaken for one of another program', () => {
  for (const { name } of REPL_COMMANDS) expect(hintElsewhere(name), name).toBeNull();
});

test('a question mark asks for help, and a word of another program is answered with a hint', async () => {
  await withTalk(async ({ notes }) => {
    const { stdout, stderr } = await notes(['one', 'two', '/rewind', '?', '/help keys', '/resume', '/exit']);
    expect(after(stdout, '/rewind')).toMatch(/^You are at [0-9a-f]{8} {2}User: one /);
    expect(after(stdout, '/help')).toMatch(/^ *\/fork/m);
    expect(after(stdout, '/help keys')).toMatch(/^Enter +send;/);
    expect(stderr).toContain(
      'cognition: there is no command /resume\nhint: see conversations with /list, and go on in one with /use <id>\n',
    );
  });
});
