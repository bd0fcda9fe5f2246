import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { connectTo } from '../../../support/hub.js';
import { say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { standsAt, withModel, withNotes } from './command_talk.js';

test('a mark that another terminal has set is moved, and both go to the new place', async () => {
  await withNotes(async ({ terminal, does, another }) => {
    await does('one', 'notes');
    await does('two', ' at ');
    await terminal.waitFor(/at [0-9a-f]{8}/);
    await another(async (second) => {
      await second.does('/back', 'You are at');
      const one = standsAt(second.terminal);
      await does('/mark here', 'as "here".');
      await second.does('/mark here', `Marked ${one} as "here".`);
      await does('/goto here', `You are at ${one}  User: one`);
      await second.does('/mark', new RegExp(`^${one} {2}just now {2}here\n`));
    });
  });
});

test('who stands in a branch that is archived elsewhere is told so, and is not lost', async () => {
  await withNotes(async ({ home, terminal, does, tree }) => {
    await does('one', 'notes');
    await does('/fork', 'Created branch');
    await does('two', ' at ');
    await terminal.waitFor(() => standsAt(terminal) !== tree().slice(0, 8));
    const two = standsAt(terminal);
    const client = await connectTo(home);
    const open = { tree: TreeId.parse(tree()) };
    const { leaves } = await client.call('loom.context_list_leaves', open);
    const node = NodeId.parse(leaves.find((leaf) => leaf.node.id.startsWith(two))?.node.id);
    await client.call('loom.branch_archive', { ...open, node });
    await client.close();
    await does('/branches', `You stand at ${two}, in an archived branch. See it with --all.`);
    await does('/branches --all', /1\. \[current\] → "two"/);
    await does('/leaves', /^ {2}1\. +[0-9a-f]{8} .*one\n\n/m);
    await does('/leaves --all', /^ {2}1\. ● +[0-9a-f]{8} .*two\n/m);
    await does('/tree', new RegExp(two));
    await does('/tree --all', /User: two \(archived\) +● you are here/);
    await does('/back', 'You are at');
    await does(`/switch ${two}`, `You are at ${two}  User: two`);
  });
});

test('two writers at the same node make two branches, and both get a note', async () => {
  await withNotes(async ({ does, another, terminal }) => {
    await does('one', 'notes');
    await another(async (second) => {
      await does('mine', ' at ');
      await second.terminal.waitFor('Another terminal: mine');
      await second.does('theirs', '(another terminal went on from here as well: yours is a branch of its own.');
      await terminal.waitFor(/branch/);
      await does('/branches', /1\. \[current\] → "mine".*\n {2}2\. → "theirs"/);
      await second.does('/branches', /1\. \[current\] → "theirs".*\n {2}2\. → "mine"/);
    });
  });
});

test('that another terminal went on is told before one writes, and Tab goes along', async () => {
  await withNotes(async ({ does, another, terminal }) => {
    await does('one', 'notes');
    await another(async (second) => {
      await does('mine', ' at ');
      await second.terminal.waitFor(
        (screen) => screen.at(-1)?.startsWith('It goes on below where you stand: Tab follows') === true,
      );
      second.terminal.type(KEYS.tab);
      await second.terminal.waitFor(/> \/follow\nYou are at [0-9a-f]{8} {2}User: mine/);
      await second.terminal.waitFor(() => standsAt(second.terminal) === standsAt(terminal));
      await second.does('theirs', ' at ');
      await terminal.waitFor('It goes on below where you stand');
      await does('/tree', /User: mine +● you are here\n User: theirs/);
      await does('mine as well', 'yours is a branch of its own');
      await terminal.waitFor((screen) => screen.at(-1)?.startsWith('[ INSERT ]') === true);
    });
  });
});

test('who is told of a branch that another terminal has made with a call sees which call', async () => {
  await withModel(async ({ server, does, another, terminal }) => {
    const calling = say(call('c1', 'bash', { command: 'echo once more' }));
    server.script(say(words('First.')), calling, say(words('Second.')));
    await does('hello', 'First.');
    await another(async (second) => {
      await second.does('/retry', 'Second.');
      await terminal.waitFor(/that made a branch:\s[0-9a-f]{8}\s\[bash:echo\sonce\smore\]/);
    });
  });
});

test('who has gone back is told that another terminal goes on from where they were, and that is no branch', async () => {
  await withNotes(async ({ does, another, terminal }) => {
    await does('one', 'notes');
    await does('two', ' at ');
    await terminal.waitFor(/at [0-9a-f]{8}/);
    await does('/back', 'You are at');
    await another(async (second) => {
      await second.does('/leaves', ' 1. ');
      await second.does('/switch 1', 'You are at');
      const two = standsAt(second.terminal);
      await second.does('three', ' at ');
      await second.does('four', ' at ');
      await terminal.waitFor(new RegExp(`\\(another terminal went on from ${two}: [0-9a-f]{8} "three"`));
      await second.does('/goto root', 'You are at');
      await second.does('five', ' at ');
      await terminal.waitFor(/that made a branch: [0-9a-f]{8} "five"/);
      expect(terminal.transcript().join('\n')).not.toContain('"four"');
    });
  });
});

test('who writes beside a turn of another terminal sees their own branch from then on', async () => {
  await withModel(async ({ server, folder, does, another, terminal }) => {
    const calling = say(call('c1', 'bash', { command: 'cat pipe' }));
    server.script(say(words('First.')), calling, say(words('Mine.')), say(words('Done.')));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await does('begin', 'First.');
    await another(async (second) => {
      await does('go on', 'cat pipe');
      const pipe = await open(join(folder, 'pipe'), 'w');
      await second.terminal.waitFor('[bash] cat pipe');
      await second.does('something else', 'Mine.');
      expect(second.terminal.screen().join('\n')).not.toContain('cat pipe');
      await pipe.close();
      await terminal.waitFor('Done.');
      await second.terminal.waitFor(/Execute.* at [0-9a-f]{8}$/m);
      await does('/leaves', ' 2. ');
      await does('/switch 2', 'Mine.');
      await does('!echo both here', 'both here');
      await second.terminal.waitFor('both here');
      expect(second.terminal.transcript().join('\n')).not.toContain('Done.');
    });
  });
});

test('what the own turn goes on to write is not told as written by another terminal', async () => {
  await withModel(async ({ server, folder, does, terminal }) => {
    server.script(say(call('c1', 'bash', { command: 'cat pipe' })), say(words('Done.')));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await does('begin', 'cat pipe');
    // The command has begun when its pipe can be opened for writing.
    const pipe = await open(join(folder, 'pipe'), 'w');
    await does('/back', '(the turn goes on without you)');
    await pipe.close();
    await terminal.waitFor('(the turn that you left has ended.');
    await does('/leaves', ' 1. ');
    expect(terminal.transcript().join('\n')).not.toContain('another terminal');
  });
});

test('a conversation that is archived elsewhere can be read, and a write says how to restore it', async () => {
  await withNotes(async ({ home, does, tree, terminal }) => {
    await does('one', 'notes');
    const client = await connectTo(home);
    await client.call('loom.tree_archive', { tree: TreeId.parse(tree()) });
    await client.close();
    await does('/tree', 'User: one');
    await does('/mark here', /archived/);
    terminal.type('two', KEYS.enter);
    // The text is given back.
    await terminal.waitFor((screen) => screen.at(-2) === '> two' || screen.at(-3) === '> two');
    expect(terminal.screen().join('\n')).toContain(`hint: run: cognition restore ${tree().slice(0, 8)}`);
  });
});

test('what is deleted for good before a chat has read it is one line there, and the chat goes on', async () => {
  await withNotes(async ({ home, does, tree, terminal }) => {
    await does('one', 'notes');
    await does('two', ' at ');
    const client = await connectTo(home);
    const open = { tree: TreeId.parse(tree()) };
    // It reads nothing while others write a branch, and delete all of it.
    terminal.kill('SIGSTOP');
    const message = { ...open, role: 'user' as const, blocks: [{ type: 'text' as const, text: 'theirs' }] };
    await client.call('loom.node_create_text', { ...message, parent: NodeId.parse(tree()) });
    const { confirm } = await client.call('loom.tree_purge', open);
    await client.call('loom.tree_purge', { ...open, confirm });
    await client.close();
    terminal.kill('SIGCONT');
    await terminal.waitFor('(this conversation has been deleted for good)');
    await terminal.waitFor(/^.*(not found|there is no|no node).*$/im);
    await does('/help quit', 'leave; the conversation stays');
    expect(terminal.transcript().join('\n')).not.toContain('.ts:');
  });
});
