import { expect, test } from 'vitest';
import { KEYS, type TestTerminal, withChat } from '../../../support/terminal.js';

const FIRST_WORDS = '# The tree that forgot nothing';

/** Says something, stops the answer when it has come so far, and has /retry finish it. */
async function stopAndRetry(terminal: TestTerminal, message: string, seen: RegExp): Promise<void> {
  terminal.type(message, KEYS.enter);
  await terminal.waitFor(seen);
  terminal.type(KEYS.escape);
  await terminal.waitFor('Interrupted. Go on with: /retry');
  terminal.type('/retry', KEYS.enter);
  await terminal.waitFor(/> \/retry\n/);
}

const rested = (screen: readonly string[]): boolean => !/Esc stops|Stopping/.test(screen.join('\n'));

test('/retry goes on after a stopped answer of the demo, and the tree says which one was stopped', async () => {
  await withChat({ args: ['--model', 'demo'] }, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    await stopAndRetry(terminal, 'tell me a story', /every message is a node/);
    await terminal.waitFor('it is still growing today');
    await terminal.waitFor(rested);
    terminal.type('/tree', KEYS.enter);
    const shown = (await terminal.waitFor('● you are here')).join('\n');
    expect(shown).toContain(` User: tell me a story\n Assistant: ${FIRST_WORDS}`);
    expect(shown).toMatch(/ User: Go on .*\n Assistant: # The tree .*● you are here/);
  });
});

test('/retry goes on after a stopped command of the demo', async () => {
  await withChat({ args: ['--model', 'demo'] }, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    await stopAndRetry(terminal, 'count slowly', /^2$/m);
    await terminal.waitFor(/I have counted:/);
    await terminal.waitFor(rested);
    terminal.type('/tree', KEYS.enter);
    expect((await terminal.waitFor('● you are here')).join('\n')).toMatch(/Assistant: I have counted.*● you are here/);
  });
});
