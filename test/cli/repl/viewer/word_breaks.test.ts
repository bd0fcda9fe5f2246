import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { breaking, say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { idle, withTalkOnScreen } from '../screen/screen_talk.js';

const CODE = `const answer = ${'1 + '.repeat(20)}1;`;
const ANSWER = `- The quick brown fox jumps over the lazy dog, and then it walks back to where it began.

\`\`\`js
${CODE}
\`\`\`
`;
const QUESTION = 'What does the quick brown fox do when it has jumped over the dog that was so lazy?';

/** An answer with a long line of prose and one of code, on the screen and as it can be copied. */
function spoken(surroundings: Record<string, string>): Promise<{ screen: string[]; copied: string[] }> {
  return withTalkOnScreen(
    [],
    async ({ terminal, server }) => {
      server.script(say(words(ANSWER)));
      await terminal.waitFor('Commands: /help');
      terminal.type(QUESTION, KEYS.enter);
      await terminal.waitFor('+ 1;');
      await idle(terminal);
      return { screen: terminal.screen(), copied: terminal.transcript() };
    },
    surroundings,
  );
}

test('who wants it has the terminal break long lines, so that what is copied has no line breaks in it', async () => {
  const { copied } = await spoken({ COGNITION_WRAP: 'terminal' });
  expect(copied).toContain(`> ${QUESTION}`);
  expect(copied).toContain('- The quick brown fox jumps over the lazy dog, and then it walks back to where it began.');
  expect(copied).toContain(CODE);
});

test('long lines are broken between words, but for those of code', async () => {
  const { screen, copied } = await spoken({});
  const from = screen.indexOf('> What does the quick brown fox do when it has jumped over the dog that was so');
  expect(screen.slice(from + 1, from + 5)).toEqual([
    '  lazy?',
    '',
    '- The quick brown fox jumps over the lazy dog, and then it walks back to where',
    '  it began.',
  ]);
  expect(copied).toContain(CODE);
});

test('an answer that is still coming is broken between words as well', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(
      breaking('hang', words('The quick brown fox jumps over the lazy dog, and then it walks back to where it beg')),
    );
    await terminal.waitFor('Commands: /help');
    terminal.type('fox?', KEYS.enter);
    await terminal.waitFor(/ walks back to where it$\nbeg$/m);
    terminal.type(KEYS.escape);
    await terminal.waitFor('/retry');
    expect(terminal.screen().join('\n')).toMatch(/ walks back to where it$\nbeg$/m);
  });
});
