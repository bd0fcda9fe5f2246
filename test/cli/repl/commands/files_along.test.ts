import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';
import { idle } from '../screen/screen_talk.js';
import { type CommandTalk, standsAt, withModel } from './command_talk.js';

const SIZE = { columns: 80, rows: 24 };

/** A model has made `a.txt` for one question and changed it for a second; resolves with where both ended. */
async function withTwoSteps(use: (talk: CommandTalk & { first: string; second: string }) => Promise<void>) {
  await withModel(
    async (talk) => {
      const { server, does, terminal } = talk;
      server.script(
        bash('c1', 'echo one > a.txt; mkdir src; echo m > src/m.js'),
        say(words('Made.')),
        bash('c2', 'echo two > a.txt; rm -r src'),
        say(words('Changed.')),
      );
      await does('make it', 'Made.');
      await idle(terminal);
      const first = standsAt(terminal);
      await does('change it', 'Changed.');
      await idle(terminal);
      await use({ ...talk, first, second: standsAt(terminal) });
    },
    { size: SIZE },
  );
}

const textOf = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

test('who forks finds the file as that branch left it, and on the way back as it was', () =>
  withModel(
    async ({ does, folder, terminal }) => {
      const lines = (): number => textOf(folder, 'hello-demo.sh').trimEnd().split('\n').length;
      await does('write a program', /to see a change\./);
      await does('change the program', /is changed, and says/);
      await idle(terminal);
      expect(lines()).toBe(4);
      await does('/fork', /1 path as it was there\. Back again: \/undo/);
      expect(lines()).toBe(3);
      await does('how many lines has hello-demo.sh?', /3 hello-demo\.sh\n/);
      await idle(terminal);
      await does('/branches', /2\. → "change the program"/);
      await does('/switch 2', '(1 path as it was there');
      expect(lines()).toBe(4);
      await does('/undo', 'You are at');
      expect(lines()).toBe(3);
      await does('/undo', /Brought along 1 path/);
      expect(lines()).toBe(4);
      // Who goes to where they are has not moved.
      await does('/goto @', 'You are at');
      await does('/undo', /Brought along 1 path/);
      expect(lines()).toBe(3);
    },
    { size: SIZE, args: ['--model', 'demo'] },
  ));

test('what a command of the model has made, moved and removed goes along', () =>
  withTwoSteps(async ({ does, folder, first }) => {
    expect(readdirSync(folder)).toEqual(['a.txt']);
    await does('/back 2', `You are at ${first}`);
    expect([textOf(folder, 'a.txt'), textOf(folder, 'src/m.js')]).toEqual(['one\n', 'm\n']);
    await does('/goto root', '(3 paths as they were there');
    expect(readdirSync(folder)).toEqual([]);
    await does('/undo', 'You are at');
    expect(textOf(folder, 'src/m.js')).toBe('m\n');
    await does('/goto root --keep-files', 'You are at');
    expect(textOf(folder, 'src/m.js')).toBe('m\n');
  }));

test('the navigator says at each node how many paths differ from where one stands', () =>
  withTwoSteps(async ({ terminal, second }) => {
    terminal.type(KEYS.escape);
    await terminal.waitFor('NORMAL');
    terminal.type(KEYS.escape);
    await terminal.waitFor(/User: make it {2,}1 path differs/);
    const rows = terminal.screen();
    const tailOf = (label: string): string => (rows.find((row) => row.includes(label)) ?? '').split(label)[1] ?? '';
    expect(tailOf('(root)')).toMatch(/^ +1 path differs/);
    expect(tailOf('Assistant: Made.')).toMatch(/^ +3 paths differ/);
    expect(tailOf('User: change it')).toMatch(/^ +3 paths differ/);
    expect(tailOf('Assistant: Changed.')).not.toContain('differ');
    terminal.type('q');
    await terminal.waitFor(/^\[ \w+ \]/m);
    expect(standsAt(terminal)).toBe(second);
  }));

test('who has changed something is asked: it is left and comes back, or is carried along, or one stays', () =>
  withTwoSteps(async ({ does, terminal, folder, first, second }) => {
    appendFileSync(join(folder, 'a.txt'), 'mine\n');
    writeFileSync(join(folder, 'own.txt'), 'own\n');
    await does(`/switch ${first}`, 'changed since, not by this conversation, 2 files: a.txt, own.txt');
    await terminal.waitFor(/^c {2}carry them along/m);
    terminal.type(KEYS.escape);
    await terminal.waitFor(/^> \/files stay$/m);
    expect([textOf(folder, 'a.txt'), standsAt(terminal)]).toEqual(['two\nmine\n', second]);

    await does(`/switch ${first}`, 'a.txt, own.txt');
    await terminal.waitFor(/^c {2}carry them along/m);
    terminal.type('l');
    await terminal.waitFor(/left where you were, 2 files/);
    expect([textOf(folder, 'a.txt'), existsSync(join(folder, 'own.txt'))]).toEqual(['one\n', false]);
    await does(`/switch ${second}`, 'as they were there');
    expect([textOf(folder, 'a.txt'), textOf(folder, 'own.txt')]).toEqual(['two\nmine\n', 'own\n']);

    writeFileSync(join(folder, 'more.txt'), 'more\n');
    await does(`/switch ${first}`, 'not by this conversation, 1 file: more.txt');
    await does('/files carry', 'carried along, 1 file: more.txt');
    expect([textOf(folder, 'a.txt'), textOf(folder, 'more.txt')]).toEqual(['one\n', 'more\n']);
    // Once carried it is not asked about again.
    await does(`/switch ${second} --leave`, 'as they were there');
    expect([textOf(folder, 'own.txt'), existsSync(join(folder, 'more.txt'))]).toEqual(['own\n', false]);
  }));

test('a file that a branch and a person have changed stays, and is named', () =>
  withTwoSteps(async ({ does, folder, first }) => {
    writeFileSync(join(folder, 'a.txt'), 'mine\n');
    await does(`/switch ${first} --carry`, /left {2}a\.txt: changed since/);
    expect([textOf(folder, 'a.txt'), textOf(folder, 'src/m.js')]).toEqual(['mine\n', 'm\n']);
  }));

test('where another terminal has moved the files, a message waits until one has said what is meant', () =>
  withTwoSteps(async ({ does, another, folder, server, first, terminal }) => {
    server.script(say(words('Here.')), say(words('There.')));
    await another(async (second) => {
      await second.does(`/switch ${first}`, 'as they were there');
      terminal.type('go on', KEYS.enter);
      await terminal.waitFor('not sent yet: the files are those of another branch');
      await terminal.waitFor(/^> go on$/m);
      terminal.type(KEYS.control('u'));
      await does('/files here', 'as they were there');
      expect(textOf(folder, 'a.txt')).toBe('two\n');
      await does('go on', 'Here.');
      second.terminal.type('me too', KEYS.enter);
      await second.terminal.waitFor('not sent yet');
      second.terminal.type(KEYS.enter);
      await second.terminal.waitFor('There.');
      expect(textOf(folder, 'a.txt')).toBe('two\n');
    });
  }));
