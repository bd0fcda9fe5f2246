import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../hub/agent/turn/turn_calls.js';
import { PROGRAM, userHomeBeside, withCli } from '../../support/cli.js';
import { say } from '../../support/model/script.js';
import { KEYS, withTerminal } from '../../support/terminal.js';
import { standsAt, withModel } from '../repl/commands/command_talk.js';
import { bash } from '../repl/conversation/talk.js';
import { idle } from '../repl/screen/screen_talk.js';

const SIZE = { columns: 80, rows: 24 };

test('on a terminal each file that cannot be merged is asked about, by its name, and all of it is taken back by undo', () =>
  withCli(async ({ home, folder, run, print }) => {
    const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), 'base\n');
    await run(['ask', 'demo: say Here.', '--model', 'demo']);
    await print('mark', '@', 'start');
    const change = 'demo: run echo theirs > a.txt; echo theirs > b.txt; echo new > c.txt\ndemo: then\ndemo: say Done.';
    await run(['ask', '@', change, '--own']);
    await print('mark', '@', 'found');
    await print('add', '@', '--at', 'start', 'Go on.');
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), 'mine\n');
    const env = { COGNITION_HOME: home, HOME: userHomeBeside(folder) };
    const start = { command: process.execPath, args: [PROGRAM, 'take', 'found'], cwd: folder, env, size: SIZE };
    const { code } = await withTerminal(start, async (terminal) => {
      await terminal.waitFor('a.txt: changed here and there. (k)eep yours, take (t)heirs?');
      expect([file('a.txt'), existsSync(join(folder, 'c.txt'))]).toEqual(['mine\n', false]);
      terminal.type('k', KEYS.enter);
      await terminal.waitFor('b.txt: changed here and there. (k)eep yours, take (t)heirs?');
      terminal.type('t', KEYS.enter);
      await terminal.waitFor(/left {2}a\.txt: changed here and there/);
      return terminal.exited;
    });
    expect([code, file('a.txt'), file('b.txt'), file('c.txt')]).toEqual([1, 'mine\n', 'theirs\n', 'new\n']);
    await print('files', 'undo');
    expect([file('a.txt'), file('b.txt'), existsSync(join(folder, 'c.txt'))]).toEqual(['mine\n', 'mine\n', false]);
  }));

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];

test('/merge puts the answer of another branch into the editor, or what the model makes of it, says what one has changed, brings the files, and undo takes them back', () =>
  withModel(
    async ({ server, does, terminal, folder }) => {
      const says = async (text: string, command: string, answer: string): Promise<string> => {
        server.script(bash(`c${text.length}`, command), say(words(answer)));
        await does(text, answer);
        await idle(terminal);
        return standsAt(terminal);
      };
      await says('make it', 'echo base > a.txt', 'Made.');
      const found = await says('look for it', 'echo found > found.txt', 'It was a typo in line 7.');
      await does('/back 2', 'You are at');
      await idle(terminal);
      const here = standsAt(terminal);
      expect(existsSync(join(folder, 'found.txt'))).toBe(false);
      writeFileSync(join(folder, 'mine.txt'), 'mine\n');
      terminal.type(`/merge ${found}`, KEYS.enter);
      await terminal.waitFor('change the text as you like');
      await terminal.waitFor(new RegExp(`^> /merge ${found} It was a typo in line 7\\.$`, 'm'));
      expect([standsAt(terminal), existsSync(join(folder, 'found.txt'))]).toEqual([here, false]);
      terminal.type(' Fixed now.', KEYS.enter);
      await terminal.waitFor(/Brought \d nodes of/);
      await idle(terminal);
      expect(readFileSync(join(folder, 'found.txt'), 'utf8')).toBe('found\n');
      expect(standsAt(terminal)).not.toBe(here);
      expect(terminal.transcript().join(' ')).not.toContain('Another terminal');
      // Its hashes are for who asks.
      expect(terminal.transcript().join(' ')).not.toContain('sha256');
      expect(terminal.transcript().join(' ')).toMatch(
        /line 7\. Fixed now\.\s+\(its nodes and their hashes: \/context\)/,
      );
      await does('/tree', /User: Merged from \w{8} \(3 nodes since/);
      await does('/files undo', 'Took back');
      expect(existsSync(join(folder, 'found.txt'))).toBe(false);
      expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine\n');
      // What the model makes of it may be brought instead.
      server.script(say(words(`## Found\n${LINES.join('\n')}\nA typo.`)));
      terminal.type(`/merge ${found} --summary`, KEYS.enter);
      await terminal.waitFor(/^> \/merge \w{8} ## Found$/m);
      // It is read before it is sent, so it is shown whole.
      expect(terminal.transcript().join('\n')).toContain(LINES.join('\n  '));
      expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('echo found');
      terminal.type(' Indeed.', KEYS.enter);
      await terminal.waitFor(/A typo\. Indeed\..*Brought \d nodes of/s);
    },
    { size: SIZE },
  ));
