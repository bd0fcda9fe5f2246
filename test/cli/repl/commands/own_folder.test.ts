import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { bash } from '../conversation/talk.js';
import { idle } from '../screen/screen_talk.js';
import { withModel } from './command_talk.js';

const SIZE = { columns: 80, rows: 24 };
const textOf = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

test('a branch in a folder of its own begins with its files, goes on there, and comes back when its files are taken', () =>
  withModel(
    async ({ server, does, terminal, folder }) => {
      const says = async (text: string, command: string, answer: string): Promise<void> => {
        server.script(bash(`c${text.length}`, command), say(words(answer)));
        await does(text, answer);
        await idle(terminal);
      };
      await says('one', 'echo one > a.txt', 'Made.');
      await says('second', 'echo two > a.txt', 'Changed.');
      await does('/fork --own', 'it works in a copy of the project');
      await says('another way', 'cat a.txt > seen.txt; echo three >> a.txt', 'Branched.');
      expect(textOf(folder, 'a.txt')).toBe('two\n');
      expect(existsSync(join(folder, 'seen.txt'))).toBe(false);
      // What a person does meanwhile is not in its way.
      writeFileSync(join(folder, 'mine.txt'), 'mine');
      await says('and then further', 'echo four >> a.txt', 'Went on.');
      expect(textOf(folder, 'a.txt')).toBe('two\n');
      await does('/files copies', ' own ');
      await does('/take 1 --theirs .', /Took \d paths of lane 1/);
      expect([textOf(folder, 'a.txt'), textOf(folder, 'seen.txt')]).toEqual(['one\nthree\nfour\n', 'one\n']);
      expect(textOf(folder, 'mine.txt')).toBe('mine');
      await says('from now on in mine', 'echo five >> a.txt', 'Done here.');
      expect(textOf(folder, 'a.txt')).toBe('one\nthree\nfour\nfive\n');
    },
    { size: SIZE },
  ));

test('who goes to a branch in a folder of its own keeps the files, and says something there at once', () =>
  withModel(
    async ({ server, does, terminal, folder }) => {
      const says = async (text: string, command: string, answer: string): Promise<void> => {
        server.script(bash(`c${text.length}`, command), say(words(answer)));
        await does(text, answer);
        await idle(terminal);
      };
      await says('one', 'echo one > a.txt', 'Made.');
      await does('/fork --own', 'it works in a copy of the project');
      await says('another', 'echo own > a.txt', 'Branched.');
      await does('/branches', /2\. → "one"/);
      await does('/switch 2', 'You are at');
      await idle(terminal);
      expect(textOf(folder, 'a.txt')).toBe('one\n');
      await does('/switch 1', 'this branch works in a folder of its own');
      await idle(terminal);
      expect(textOf(folder, 'a.txt')).toBe('one\n');
      await says('go on there', 'cat a.txt >> b.txt; test "$(cat a.txt)" = own && echo right >> b.txt', 'Went on.');
      expect(existsSync(join(folder, 'b.txt'))).toBe(false);
      await does('/take 1 --theirs .', /Took \d paths of lane 1/);
      expect(textOf(folder, 'b.txt')).toBe('own\nright\n');
    },
    { size: SIZE },
  ));
