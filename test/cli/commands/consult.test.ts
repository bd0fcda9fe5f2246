import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';

test('a consultation beside a conversation is a branch of its own, and one stays where one is', () =>
  withCli(async (cli) => {
    await cli.run(['ask', 'demo: say first', '--model', 'demo']);
    const before = await cli.print('context', '@');
    const { stdout, stderr } = await cli.run(['consult', '@', 'demo: say second', '--model', 'demo']);
    expect(stdout).toBe('second\n');
    expect(stderr).toContain('a branch of its own');
    expect(await cli.print('context', '@')).toBe(before);
    expect(await cli.print('show', '@')).toContain('second');
    expect((await cli.run(['ask', '@', 'demo: say third', '--model', 'demo'])).stderr).toContain(
      'This is a new branch.',
    );
  }));

test('a consulted model changes nothing, and is told the files that are named', () =>
  withCli(async (cli) => {
    writeFileSync(join(cli.folder, 'a.txt'), 'the content\n');
    const question = 'demo: run touch made\ndemo: then\ndemo: say done';
    const { code, stderr } = await cli.run([
      'consult',
      question,
      '--model',
      'demo',
      '--files',
      'a.txt',
      '--session',
      'x',
    ]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Session: x') });
    expect(await cli.print('context', 'x')).toContain('the content');
    expect(await cli.print('exec', 'x', 'ls')).not.toContain('made');
  }));

test('a session goes on where it was, also when something was said beside it', () =>
  withCli(async (cli) => {
    const consult = (words: string) => cli.run(['consult', words, '--model', 'demo', '--session', 'x']);
    await consult('demo: say one');
    await cli.run(['consult', 'x', 'demo: say beside', '--model', 'demo']);
    await consult('demo: say two');
    const last = await cli.json('sessions', 'x');
    const texts = Object(last).last.map(({ text }: { text: string }) => text);
    expect(texts).toEqual(['demo: say one', 'one', 'demo: say two', 'two']);
    expect(await cli.print('sessions')).toContain('x');
    expect(await cli.print('sessions', '--find', 'beside')).toContain('say beside');
    expect(await cli.print('sessions', '--limit', '1')).toContain('6 messages');
  }));

test('wrong words are refused before anything is said', () =>
  withCli(async (cli) => {
    const fails = async (...words: string[]) => (await cli.run(words)).stderr;
    expect(await fails('consult')).toContain('consult takes a question');
    expect(await fails('consult', 'x', '--model', 'no/such')).toContain('no/such');
    expect(await fails('consult', 'x', '--model', 'demo', '--files', '/etc/passwd')).toContain('/etc/passwd');
    expect(await fails('sessions', 'nowhere')).toContain('there is no session "nowhere"');
    expect(await fails('sessions', '--limit', '0')).toContain('--limit takes');
    expect(await cli.print('sessions', '--json')).toContain('"sessions":[]');
  }));
