import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { breaking, say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';
import { standsAt, withModel, withNotes } from './command_talk.js';

const MOVED = 'What you say next is another branch from here.';

/** The id that a line of a list has. */
function idIn(text: string, line: RegExp): string {
  const id = /\b[0-9a-f]{8}\b/.exec(line.exec(text)?.[0] ?? '')?.[0];
  if (id === undefined) throw new Error(`no id in a line like ${line} of: ${text}`);
  return id;
}

test('/fork names what the next message is an alternative to; one of several with its id, size and age', async () => {
  await withNotes(async ({ terminal, does, tree }) => {
    await does('one', 'notes');
    await does('two', ' at ');
    expect(await does('/fork', 'alternative to "two".')).toMatch(
      /^Created branch at current position\.\nYour next message is an alternative to "two"\.\n/,
    );
    await does('three', ' at ');
    expect(await does('/fork', 'that branch is')).toMatch(
      /\(that branch is [0-9a-f]{8}, 1 node, just now; all 2: \/branches\)/,
    );
    await does('/fork root', 'alternative to "one".');
    await terminal.waitFor(() => standsAt(terminal) === tree().slice(0, 8));
    await does('four', ' at ');
    expect(await does('/tree', 'you are here')).toMatch(
      /^\(root\)\n ├── User: one\n │ {3}├── User: two\n │ {3}└── User: three\n User: four +● you are here\n/,
    );
  });
});

test('/back goes back over messages, and says where that is', async () => {
  await withNotes(async ({ terminal, does, tree }) => {
    await does('one', 'notes');
    await does('two', ' at ');
    await does('three', ' at ');
    expect(await does('/back', MOVED)).toMatch(/^You are at [0-9a-f]{8} {2}User: two {2}just now, 2 nodes deep\n/);
    const two = /You are at ([0-9a-f]{8})/.exec(terminal.transcript().join('\n'))?.[1];
    await terminal.waitFor(() => standsAt(terminal) === two);
    expect(await does('/back 2', MOVED)).toMatch(new RegExp(`^You are at ${tree().slice(0, 8)} {2}\\(root\\)\n`));
    await does('/back', 'You are at the beginning: there is nothing to go back to.');
    await does('anew', ' at ');
    expect(await does('/tree', 'you are here')).toMatch(/├── User: one\n.*\n User: anew +● you are here/s);
  });
});

test('/branches numbers the branches, the current one first, and /switch goes there by number', async () => {
  await withNotes(async ({ terminal, does }) => {
    await does('one', 'notes');
    await does('deep', ' at ');
    await does('/back 2', MOVED);
    await does('two', ' at ');
    const listed = await does('/branches', 'Current node has 2 branches:');
    expect(listed).toMatch(
      /\n {2}1\. \[current\] → "two" {2}[0-9a-f]{8} {2}1 node {3}just now\n {2}2\. → "one" {12}[0-9a-f]{8} {2}2 nodes {2}just now\n/,
    );
    const there = await does('/switch 2', /You are at [0-9a-f]{8} {2}User: deep {2}just now, 2 nodes deep/);
    await terminal.waitFor(() => standsAt(terminal) === idIn(there, /^You are at .*$/m));
    await does('/switch 1', /You are at [0-9a-f]{8} {2}User: two /);
    const id = idIn(listed, /^.*"one".*$/m);
    await does(`/switch ${id}`, new RegExp(`You are at ${id} {2}User: one .*\n${MOVED}`));
  });
});

test('/leaves lists the ends of all branches, newest first, and numbers them', async () => {
  await withNotes(async ({ terminal, does }) => {
    await does('one', 'notes');
    await does('/fork', 'Created branch');
    await does('two', ' at ');
    const listed = await does('/leaves', '  2. ');
    expect(listed).toMatch(
      /^ {2}1\. ● {2}[0-9a-f]{8} {2}just now {2}1 node {2}two\n {2}2\. {4}[0-9a-f]{8} {2}just now {2}1 node {2}one\n/,
    );
    await does('/switch 2', /You are at [0-9a-f]{8} {2}User: one/);
    await terminal.waitFor(() => standsAt(terminal) === idIn(listed, /^ +2\. .*$/m));
  });
});

test('/goto goes to an id, the beginning of one, a mark of several words, and the root', async () => {
  await withNotes(async ({ terminal, does, tree }) => {
    await does('one', 'notes');
    await terminal.waitFor(() => standsAt(terminal) !== tree().slice(0, 8));
    const one = standsAt(terminal);
    await does('/mark "the first"', `Marked ${one} as "the first".`);
    await does('two', ' at ');
    await does('/goto the first', `You are at ${one}  User: one`);
    await does('/goto root', `You are at ${tree().slice(0, 8)}  (root)`);
    await does('/goto "the first"', `You are at ${one}  User: one`);
    await does('/goto root', `You are at ${tree().slice(0, 8)}  (root)`);
    await does(`/goto ${one.slice(0, 5)}`, `You are at ${one}  User: one`);
    await terminal.waitFor(() => standsAt(terminal) === one);
  });
});

test('/tree draws the tree, one node a line, nested or with ids when asked', async () => {
  await withNotes(async ({ does }) => {
    await does('one', 'notes');
    await does('two', ' at ');
    expect(await does('/tree', 'you are here')).toMatch(/^\(root\)\n User: one\n User: two +● you are here\n/);
    expect(await does('/tree --nested', 'you are here')).toMatch(
      /^└── \(root\)\n {4}└── User: one\n {8}└── User: two +● you are here\n/,
    );
    expect(await does('/tree --ids', 'you are here')).toMatch(
      /\n {1,2}[0-9a-f]{8} User: one\n {1,2}[0-9a-f]{8} User: two /,
    );
  });
});

test('/clear goes to the root and says how to come back', async () => {
  await withNotes(async ({ terminal, does, tree }) => {
    await does('/clear', 'You are at the root: there is nothing to clear.');
    await does('one', 'notes');
    await terminal.waitFor(() => standsAt(terminal) !== tree().slice(0, 8));
    const one = standsAt(terminal);
    await does('/clear', `(nothing was deleted. The way back: /switch ${one})`);
    await terminal.waitFor(() => standsAt(terminal) === tree().slice(0, 8));
    await does(`/switch ${one}`, `You are at ${one}  User: one`);
  });
});

test('whoever moves is shown the last exchange there: long texts cut, what was done between counted', async () => {
  await withModel(async ({ server, does }) => {
    const lines = Array.from({ length: 40 }, (_, number) => `- line ${number}`).join('\n');
    server.script(bash('c1', 'echo one'), bash('c2', 'echo two'), say(words(lines)), say(words('Short.')));
    await does('tell much', '- line 39');
    await does('tell little', 'Short.');
    const back = await does('/back 2', '- line 39');
    expect(back).toMatch(
      /^You are at .*\nWhat you say next .*\n\n> tell much\n\(2 calls between: \/context\)\n\n- line 0\n[\s\S]*- line 4\n\n…\n\n- line 35\n[\s\S]*- line 39\n/,
    );
    expect(back).not.toContain('- line 20');
    const end = idIn(back, /^You are at .*$/m);
    await does('/goto root', MOVED);
    expect(await does(`/fork ${end}`, '- line 39')).toMatch(
      /^Created branch at current position\.\nYour next message is an alternative to "tell little"\.\n\n> tell much\n/,
    );
  });
});

test('Esc goes on without the summary of what one leaves', async () => {
  await withModel(async ({ terminal, does, server }) => {
    server.script(say(words('A garden.')), breaking('hang', words('## Found')));
    await does('what is here', 'A garden.');
    await terminal.waitFor(/ at [0-9a-f]{8}/);
    await does('/back --summary', 'Esc goes on without');
    await server.hanging();
    terminal.type(KEYS.escape);
    await terminal.waitFor(() => terminal.transcript().join(' ').includes('/switch'));
    await does('/tree', /User: what is here +● you are here/);
  });
});
