import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KEYS, type TestTerminal } from '../../../support/terminal.js';
import { idle, type ScreenTalk, treeOn, withTalkOnScreen } from '../screen/screen_talk.js';
import { waitForEditor } from './seen.js';

const EMPTY = '|Say something, or /help';
const { enter, up, down } = KEYS;
const SEARCH = KEYS.control('r');

/** Says something and waits until it is kept. */
async function say(terminal: TestTerminal, home: string, text: string): Promise<void> {
  await terminal.waitFor('INSERT');
  terminal.type(text, enter);
  await waitForEditor(terminal, EMPTY);
  await eventually(() => historyOf(home).at(-1)).toBe(text);
  await idle(terminal);
}

/** Looks again and again: files change without a word on the screen. */
function eventually<T>(look: () => T) {
  return expect.poll(look, { timeout: 30_000 });
}

function historyOf(home: string): string[] {
  const path = join(home, 'history.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => String(JSON.parse(line)));
}

/** One more chat in the same home, for as long as it is used. */
function laterChat(
  talk: ScreenTalk,
  use: (terminal: TestTerminal) => Promise<void>,
  args: string[] = [],
): Promise<void> {
  return talk.another(args, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    await use(terminal);
  });
}

test('what was written is found again in a later chat, line by line and by its words', async () => {
  await withTalkOnScreen([], async (talk) => {
    for (const text of ['git status', 'git log', 'two\nlines', '!echo hi', 'git status', 'last']) {
      await say(talk.terminal, talk.home, text);
    }
    await laterChat(talk, async (terminal) => {
      terminal.type('a\ndraft', up);
      await waitForEditor(terminal, 'a|/draft');
      terminal.type(up);
      await waitForEditor(terminal, 'last|');
      terminal.type(up, up);
      await waitForEditor(terminal, '!echo hi|');
      terminal.type(up);
      await waitForEditor(terminal, 'two/lines|');
      // In a text of two rows it goes through them first.
      terminal.type(up);
      await waitForEditor(terminal, 'two|/lines');
      terminal.type(up);
      await waitForEditor(terminal, 'git log|');
      terminal.type(down, down, down, down, down, down);
      await waitForEditor(terminal, 'a|/draft');
      terminal.type(SEARCH, 'git');
      await terminal.waitFor(/> git status\nsearch: git$/m);
      terminal.type(SEARCH);
      await terminal.waitFor(/> git log\nsearch: git$/m);
      terminal.type(SEARCH, SEARCH);
      await terminal.waitFor(/> git status\nnothing earlier has: git$/m);
      terminal.type(enter);
      await waitForEditor(terminal, 'git status|');
      terminal.type(SEARCH, 'nowhere');
      await terminal.waitFor('nothing earlier has: nowhere');
      terminal.type(KEYS.control('c'));
      await waitForEditor(terminal, 'git status|');
      terminal.type(SEARCH, 'o l');
      await terminal.waitFor(/> two\n {2}lines\nsearch: o l$/m);
      terminal.type(KEYS.end, '!', enter);
      await waitForEditor(terminal, 'a|/draft');
    });
    await eventually(() => historyOf(talk.home).at(-1)).toBe('two\nlines!');
  });
}, 60_000);

test('two terminals at once keep what both write', async () => {
  await withTalkOnScreen([], async (talk) => {
    await laterChat(talk, async (other) => {
      for (const text of ['one', 'two', 'three']) {
        await say(talk.terminal, talk.home, `here ${text}`);
        await say(other, talk.home, `there ${text}`);
      }
    });
    expect(historyOf(talk.home)).toEqual(['one', 'two', 'three'].flatMap((text) => [`here ${text}`, `there ${text}`]));
  });
}, 60_000);

test('a history of a hundred megabytes delays nothing, and is cut down to what is newest', async () => {
  await withTalkOnScreen([], async (talk) => {
    const path = join(talk.home, 'history.jsonl');
    const line = `["${'x'.repeat(1_000)}"]\n`;
    await talk.terminal.waitFor('Say something');
    writeFileSync(path, `${'broken '.repeat(1_000)}\n${line.repeat(100_000)}["newest"]\n["half`);
    expect(statSync(path).size).toBeGreaterThan(100_000_000);
    await laterChat(talk, async (terminal) => {
      terminal.type(up);
      await waitForEditor(terminal, 'newest|');
      terminal.type('!', enter);
      await waitForEditor(terminal, EMPTY);
      await eventually(() => statSync(path).size).toBeLessThan(4 * 1024 * 1024);
    });
    expect(historyOf(talk.home).slice(-2)).toEqual(['newest', 'newest!']);
  });
}, 60_000);

test('where no history can be kept that is said once, and everything else works', async () => {
  await withTalkOnScreen([], async (talk) => {
    await talk.terminal.waitFor('Say something');
    mkdirSync(join(talk.home, 'history.jsonl'));
    await laterChat(talk, async (terminal) => {
      terminal.type('one', enter);
      await terminal.waitFor('what you write cannot be kept: ');
      await terminal.waitFor('Hello.');
      await idle(terminal);
      terminal.type(up);
      await waitForEditor(terminal, 'one|');
    });
    rmSync(join(talk.home, 'history.jsonl'), { recursive: true });
  });
}, 60_000);

test('what was being written when a chat was killed is there in the next one, once', async () => {
  await withTalkOnScreen([], async (talk) => {
    const { terminal, home } = talk;
    await terminal.waitFor('Say something');
    terminal.type('half a\nthought 漢字');
    await eventually(() => draftsOf(home)).toEqual(['["half a\\nthought 漢字"]']);
    terminal.kill('SIGKILL');
    await terminal.exited;
    await laterChat(talk, async (next) => {
      await waitForEditor(next, 'half a/thought 漢字|');
      await next.waitFor('This was being written when a chat ended.');
      await laterChat(talk, (third) => waitForEditor(third, EMPTY));
      next.type(enter);
      await next.waitFor('Hello.');
      await eventually(() => draftsOf(home)).toEqual([]);
    });
  });
}, 60_000);

test('a draft is kept while one looks at what was sent before', async () => {
  await withTalkOnScreen([], async (talk) => {
    const { terminal, home } = talk;
    await say(terminal, home, 'first');
    terminal.type('half a thought');
    await eventually(() => draftsOf(home)).toEqual(['["half a thought"]']);
    terminal.type(up);
    await waitForEditor(terminal, 'first|');
    terminal.kill('SIGHUP');
    await terminal.exited;
    expect(draftsOf(home)).toEqual(['["half a thought"]']);
  });
}, 60_000);

test('each conversation keeps its own draft, whichever one goes to', async () => {
  await withTalkOnScreen([], async (talk) => {
    const { terminal, home } = talk;
    await say(terminal, home, 'first');
    const first = treeOn(terminal);
    await laterChat(talk, async (other) => {
      await say(other, home, 'second');
      const second = treeOn(other);
      other.type('unsaid in the second');
      await eventually(() => draftsOf(home)).toEqual(['["unsaid in the second"]']);
      other.kill('SIGKILL');
      await other.exited;
      terminal.type(`/use ${second}`, enter);
      await waitForEditor(terminal, 'unsaid in the second|');
      terminal.type(KEYS.control('u'), `/use ${first}`, enter);
      await terminal.waitFor((screen) => screen.some((row) => row.startsWith('Resuming')));
      await waitForEditor(terminal, EMPTY);
    });
  });
}, 60_000);

test('what is typed before another conversation is open is written in that one', async () => {
  await withTalkOnScreen([], async ({ terminal, home }) => {
    await say(terminal, home, 'first');
    const first = treeOn(terminal);
    terminal.type(`/new${enter}typed ahead`);
    await terminal.waitFor(/^> \/new$/m);
    await waitForEditor(terminal, 'typed ahead|');
    await eventually(() => draftsOf(home)).toEqual(['["typed ahead"]']);
    terminal.type(KEYS.control('u'), 'unsaid', KEYS.control('o'), `:use ${first}`, enter);
    await terminal.waitFor('Resuming');
    await waitForEditor(terminal, EMPTY);
    await eventually(() => draftsOf(home)).toEqual(['["unsaid"]']);
  });
}, 60_000);

function draftsOf(home: string): string[] {
  const folder = join(home, 'drafts');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return names.map((name) => readFileSync(join(folder, name), 'utf8'));
}
