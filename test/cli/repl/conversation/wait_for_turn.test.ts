import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TreeId } from '../../../../hub/protocol/node.js';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { connectTo } from '../../../support/hub.js';
import { breaking, say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { idle, treeOn, withTalkOnScreen } from '../screen/screen_talk.js';

test('a command that goes on says so, what is typed meanwhile waits in sight, and Esc ends only the command', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say(words('Noted.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('!sleep 1000', KEYS.enter);
    await terminal.waitFor(/^running \d+ s, Esc stops it$/m);
    terminal.type('what was that?', KEYS.enter);
    await terminal.waitFor('  waits: what was that?');
    terminal.type(KEYS.escape);
    await terminal.waitFor('Noted.');
    await idle(terminal);
    expect(terminal.screen().join('\n')).not.toMatch(/steers:|waits:|Esc stops it/);
  });
});

test('what waits to be heard is told by when that is, and Up takes it back instead of copying it', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    server.script(breaking('hang', words('Half an')));
    await terminal.waitFor('Commands: /help');
    terminal.type('a story', KEYS.enter);
    await terminal.waitFor('Half an');
    terminal.type('with a moral', KEYS.enter);
    await terminal.waitFor('  steers: with a moral  (Up takes it back)');
    terminal.type('and an end', KEYS.altEnter);
    await terminal.waitFor('  steers: with a moral\n  queued: and an end  (Up takes it back)');
    terminal.type(KEYS.up);
    await terminal.waitFor(/^> with a moral\n {2}and an end$/m);
    expect(terminal.screen().join('\n')).not.toMatch(/steers:|queued:/);
    const client = await connectTo(home);
    const { turns } = await client.call('agent.status', {});
    const kept = await Promise.all(turns.map(({ turn }) => client.call('loom.turn_get', { turn })));
    expect(kept.flatMap(({ inputs }) => inputs)).toEqual([]);
    await client.close();
    terminal.type(KEYS.control('c'), KEYS.escape);
    await terminal.waitFor('/retry');
  });
});

test('a conversation that is deleted by another terminal is told so, and what is said comes back into the editor', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    server.script(say(words('First.')));
    await terminal.waitFor('Tree: ');
    terminal.type('one', KEYS.enter);
    await terminal.waitFor('First.');
    await idle(terminal);
    const client = await connectTo(home);
    const tree = TreeId.parse(treeOn(terminal));
    const { confirm } = await client.call('loom.tree_purge', { tree });
    await client.call('loom.tree_purge', { tree, confirm });
    await client.close();
    await terminal.waitFor('(this conversation has been deleted for good)');
    terminal.type('two', KEYS.enter);
    await terminal.waitFor('start one with: /new');
    await terminal.waitFor('> two');
    expect(terminal.screen().join('\n')).not.toContain('messages are kept as notes');
    terminal.type(KEYS.control('u'), '/new', KEYS.enter);
    await terminal.waitFor('Starting new conversation...');
    server.script(say(words('Second.')));
    terminal.type('two', KEYS.enter);
    await terminal.waitFor('Second.');
  });
});

test('a slash alone asks what there is, and the beginning of a command is completed', async () => {
  await withTalkOnScreen([], async ({ terminal }) => {
    await terminal.waitFor('Commands: /help');
    terminal.type('/', KEYS.enter);
    await terminal.waitFor('what each of them does');
    terminal.type('/q', KEYS.enter, KEYS.enter);
    expect(await terminal.exited).toMatchObject({ code: 0 });
  });
});

test('an image that a message names is sent with it, and one that is not there brings the message back', async () => {
  await withTalkOnScreen([], async ({ terminal, server, folder }) => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    writeFileSync(join(folder, 'shot.png'), Buffer.from(pixel, 'base64'));
    server.script(say(words('A red dot.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('what is @none.png', KEYS.enter);
    await terminal.waitFor('no image to send along');
    await terminal.waitFor('> what is @none.png');
    terminal.type(KEYS.control('u'));
    terminal.paste('what is in @shot.png?');
    terminal.type(KEYS.enter);
    await terminal.waitFor('A red dot.');
    expect(server.requests.at(-1)?.text).toContain('image/png');
  });
});

test('a paste of CRLF lines with control sequences is one message, cleaned where it is shown', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say(words('Read.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('\x1b[200~one\r\ntwo \x1b[31mred\x1b[0m\r\nthree 👩‍👩‍👧\x1b[201~');
    terminal.type(KEYS.enter);
    await terminal.waitFor('Read.');
    expect(server.requests).toHaveLength(1);
    expect(terminal.screen().join('\n')).toMatch(/^> one\ntwo .*red.*\nthree 👩/m);
  });
});

test('a resize to 20 columns and back in the middle of a turn leaves what was said whole', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    const text = 'The quick brown fox jumps over the lazy dog, again and again.';
    server.script(say(words(text)), breaking('hang', words('And')));
    await terminal.waitFor('Commands: /help');
    terminal.type('go', KEYS.enter);
    await terminal.waitFor(text);
    await idle(terminal);
    terminal.type('on', KEYS.enter);
    await terminal.waitFor('And');
    terminal.resize(20, 24);
    await terminal.waitFor('INSERT NET:off');
    terminal.resize(80, 24);
    await terminal.waitFor('[ INSERT ]');
    terminal.type(KEYS.escape);
    await terminal.waitFor('Interrupted.');
    const shown = terminal.transcript();
    expect(shown.filter((row) => row.includes('[ INSERT ]'))).toHaveLength(1);
    expect(shown.filter((row) => row.includes('lazy dog'))).toEqual([text]);
    expect(shown.filter((row) => row === 'And')).toHaveLength(1);
  });
});

test('what was sent just before leaving is kept', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    server.script(say(words('Heard.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('the last word', KEYS.enter, KEYS.control('d'));
    expect(await terminal.exited).toEqual({ code: 0, signal: 0 });
    const client = await connectTo(home);
    const { nodes } = await client.call('loom.tree_get_skeleton', { tree: TreeId.parse(treeOn(terminal)) });
    await client.close();
    expect(nodes.map(({ preview }) => preview)).toContain('the last word');
  });
});
