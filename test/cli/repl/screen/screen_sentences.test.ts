import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TreeId } from '../../../../hub/protocol/node.js';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { connectTo } from '../../../support/hub.js';
import { say } from '../../../support/model/script.js';
import { KEYS, type TestTerminal } from '../../../support/terminal.js';
import { standsAt } from '../commands/command_talk.js';
import { idle, treeOn, withTalkOnScreen } from './screen_talk.js';

/** Sentences whose letters meant something, and those of the report. */
const SENTENCES = [
  ...['add new tests', 'and now change', 'add x to it', 'do it', 'run the tests', 'clear the cache and execute'],
  ...['Now go on', 'Guide me through it', 'u can execute now', 'n x c', 'd next, clear it', 'g tell me', 'k a proxy'],
  ...['du nimmst die neue Datei', 'und nun: lösch es', 'Ändere nichts', 'ja, gut', 'guy: new', 'du: clear'],
  ...['请运行测试', 'テストを実行して', '테스트를 실행해', 'дай новый план', 'yes please', 'x', 'explain it'],
];

/** Random ones, from words that begin with what a key means. */
const WORDS = ['u', 'n', 'd', 'k', 'g', 'y', 'new', 'xylophone', 'can', 'plan', 'tree', 'edit', 'gun', 'dung', 'judge'];
const more = fc
  .sample(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }), { numRuns: 25, seed: 12 })
  .map((list) => list.join(' '));

/** A sign that no key means stands at the end, so that one sees where the sentence came to. */
const END = '§';

async function typeInNormal(terminal: TestTerminal, sentence: string): Promise<string> {
  terminal.type(KEYS.escape);
  await terminal.waitFor('[ NORMAL ]');
  terminal.type(sentence + END);
  const screen = await terminal.waitFor((rows) => /^\[ INSERT \]/.test(rows.at(-1) ?? '') && rows.some(endsSentence));
  expect(screen.at(-1)).toMatch(/^\[ INSERT \] \[ Execute \].*\[ NET: off \]/);
  const row = screen.findLast(endsSentence) ?? '';
  terminal.type(KEYS.control('c'));
  await terminal.waitFor('Cleared.');
  return row.replace(/^> /, '').trimEnd().slice(0, -END.length);
}

const endsSentence = (row: string): boolean => row.startsWith('> ') && row.trimEnd().endsWith(END);

test('sentences that are typed in NORMAL change nothing but the text', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    server.script(say(words('First.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('one', KEYS.enter);
    await terminal.waitFor('First.');
    await idle(terminal);
    const tree = TreeId.parse(treeOn(terminal));
    const client = await connectTo(home);
    try {
      const before = await client.call('loom.tree_get', { tree });
      const place = standsAt(terminal);
      const kept: string[] = [];
      for (const sentence of [...SENTENCES, ...more]) {
        const text = await typeInNormal(terminal, sentence);
        // Only i and q lead back by themselves, and are no text then.
        expect(sentence.endsWith(text) || /[iq]/.test(sentence)).toBe(true);
        if (text === sentence) kept.push(sentence);
      }
      expect(kept).toEqual(
        expect.arrayContaining(['add new tests', 'and now change', 'add x to it', 'guy: new', 'n x c', '请运行测试']),
      );
      terminal.type('a', KEYS.backspace);
      await terminal.waitFor((rows) => rows.at(-1)?.startsWith('[ INSERT ]') === true && standsAt(terminal) === place);
      expect(await client.call('loom.tree_get', { tree })).toEqual(before);
      expect((await client.call('loom.tree_list', {})).trees).toHaveLength(1);
      expect(server.requests).toHaveLength(1);
    } finally {
      await client.close();
    }
  });
});

test('what Space lists stays until a key comes', async () => {
  await withTalkOnScreen([], async ({ terminal, server, another }) => {
    server.script(say(words('First.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('one', KEYS.enter);
    await terminal.waitFor('First.');
    await idle(terminal);
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(' ');
    await terminal.waitFor(/^n {2}network on, off/m);
    // Longer than it once was listed: another chat begins, talks and ends meanwhile.
    server.script(say(words('Second.')));
    await another([], async (second) => {
      await second.waitFor('Commands: /help');
      second.type('two', KEYS.enter);
      await second.waitFor('Second.');
      await idle(second);
      second.type('/quit', KEYS.enter);
      await second.exited;
    });
    expect(terminal.screen().join('\n')).toMatch(/^n {2}network on, off/m);
    terminal.type('t');
    await terminal.waitFor(/Enter go {2}e edit/);
  });
});

test('a question that is asked counts keys after a moment: a word that begins with a y answers nothing', async () => {
  await withTalkOnScreen([], async ({ terminal }) => {
    await terminal.waitFor('Commands: /help');
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(' nyse');
    await terminal.waitFor(/^> {2}nyse$/m);
    expect(terminal.screen().at(-1)).toContain('[ NET: off ]');
    terminal.type(KEYS.control('c'), KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type(' n', KEYS.enter);
    await terminal.waitFor(/^Nothing has been said here yet/m);
    expect(terminal.screen().at(-1)).toContain('[ NET: off ]');
  });
});
