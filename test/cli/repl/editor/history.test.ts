import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { adoptDraft, type DraftOwner, loadDraft, saveDraft } from '../../../../cli/repl/editor/storage/draft.js';
import { appendHistory, loadHistory } from '../../../../cli/repl/editor/storage/history.js';

let home = '';
let path = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'history-'));
  path = join(home, 'inner', 'history.jsonl');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const made = (tree: string): DraftOwner => ({ tree, isMade: true });

test('messages are loaded as they were, with their lines and pastes', async () => {
  await appendHistory(path, ['one\ntwo']);
  await appendHistory(path, ['see ', { paste: 'a\nb' }, ' 漢字 👨‍👩‍👧']);
  expect(loadHistory(path)).toEqual([['one\ntwo'], ['see ', { paste: 'a\nb' }, ' 漢字 👨‍👩‍👧']]);
});

test('the file is readable by its owner only', async () => {
  await appendHistory(path, ['secret plans']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a home without a history has none', () => {
  expect(loadHistory(path)).toEqual([]);
});

test('repetitions, blanks and what begins with a blank are not kept', async () => {
  for (const text of ['one', 'one', ' secret', '', '  ', 'two', 'one']) await appendHistory(path, [text]);
  expect(loadHistory(path)).toEqual([['one'], ['two'], ['one']]);
});

test('lines that cannot be read are passed over', async () => {
  await appendHistory(path, ['one']);
  appendFileSync(path, 'nonsense\n{"a":1}\n[1]\n[{"paste":2}]\n\n["half');
  await appendHistory(path, ['two']);
  expect(loadHistory(path)).toEqual([['one'], ['two']]);
});

test('many terminals write at once and lose nothing', async () => {
  const texts = Array.from({ length: 40 }, (_, index) => `message ${index}`);
  await Promise.all(texts.map((text) => appendHistory(path, [text])));
  expect(loadHistory(path).flat().toSorted()).toEqual(texts.toSorted());
});

test('a history that has grown too long keeps what is newest', async () => {
  await appendHistory(path, ['first']);
  writeFileSync(path, Array.from({ length: 10_000 }, (_, index) => `["message ${index}"]\n`).join(''));
  await appendHistory(path, ['last']);
  const kept = loadHistory(path);
  expect(kept).toHaveLength(7_500);
  expect(kept.at(-1)).toEqual(['last']);
  expect(kept.at(-2)).toEqual(['message 9999']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a history that has grown too large keeps what is newest', async () => {
  const text = 'x'.repeat(900_000);
  for (let index = 0; index < 6; index++) await appendHistory(path, [`${index}${text}`]);
  expect(statSync(path).size).toBeLessThan(4 * 1024 * 1024);
  expect(loadHistory(path).at(-1)?.[0]?.toString().slice(0, 2)).toBe('5x');
});

test('a message that is larger than all others together is not kept', async () => {
  await appendHistory(path, ['one']);
  await appendHistory(path, ['x'.repeat(2 * 1024 * 1024)]);
  expect(loadHistory(path)).toEqual([['one']]);
});

test('only the end of an oversized file is read', async () => {
  await appendHistory(path, ['one']);
  writeFileSync(path, `${'x'.repeat(20 * 1024 * 1024)}\n["two"]\n`);
  expect(loadHistory(path)).toEqual([['two']]);
});

test('a draft comes back for its own tree, until it is empty', () => {
  const drafts = join(home, 'drafts');
  expect(loadDraft(drafts, 'a')).toBe(null);
  saveDraft(drafts, made('a'), ['half a ', { paste: 'sen\ntence' }]);
  saveDraft(drafts, made('../b'), ['another']);
  expect(loadDraft(drafts, 'a')).toEqual(['half a ', { paste: 'sen\ntence' }]);
  expect(loadDraft(drafts, '../b')).toEqual(['another']);
  expect(statSync(join(drafts, `a.${process.pid}.json`)).mode & 0o777).toBe(0o600);
  saveDraft(drafts, made('a'), []);
  expect(loadDraft(drafts, 'a')).toBe(null);
});

test('each chat of a conversation has a draft of its own, and takes over what an ended one has left', () => {
  const drafts = join(home, 'drafts');
  saveDraft(drafts, made('a'), ['mine']);
  const [other, earlier] = [join(drafts, `a.${process.ppid}.json`), join(drafts, 'a.json')];
  writeFileSync(other, '["of another terminal"]');
  writeFileSync(earlier, '["of an earlier version"]');
  expect(loadDraft(drafts, 'a')).toEqual(['mine']);
  saveDraft(drafts, made('a'), []);
  expect(loadDraft(drafts, 'a')).toEqual(['of an earlier version']);
  saveDraft(drafts, made('a'), []);
  expect(loadDraft(drafts, 'a')).toBe(null);
  expect(readFileSync(other, 'utf8')).toBe('["of another terminal"]');
  // A process that began after it was written has only got the number of its writer.
  utimesSync(other, 1_000_000_000, 1_000_000_000);
  expect(loadDraft(drafts, 'a')).toEqual(['of another terminal']);
});

test('a draft that cannot be read is none', () => {
  const drafts = join(home, 'drafts');
  saveDraft(drafts, made('a'), ['one']);
  writeFileSync(join(drafts, `a.${process.pid}.json`), '["half');
  expect(loadDraft(drafts, 'a')).toBe(null);
});

test('drafts of trees that are never reopened are removed in the end', () => {
  const drafts = join(home, 'drafts');
  for (let index = 0; index < 205; index++) saveDraft(drafts, made(`tree ${index}`), ['text']);
  expect(loadDraft(drafts, 'tree 204')).toEqual(['text']);
  const kept = Array.from({ length: 205 }, (_, index) => loadDraft(drafts, `tree ${index}`)).filter(
    (one) => one !== null,
  );
  expect(kept).toHaveLength(200);
});

test('the file holds one message in each line', async () => {
  await appendHistory(path, ['one\ntwo']);
  expect(readFileSync(path, 'utf8')).toBe('["one\\ntwo"]\n');
});

test('a draft for a tree that never came to be is adopted by the next new one, once', () => {
  const drafts = join(home, 'drafts');
  expect(adoptDraft(drafts, 'b')).toBe(null);
  saveDraft(drafts, { tree: 'a', isMade: false }, ['unsaid']);
  expect(loadDraft(drafts, 'a')).toBe(null);
  // Whoever writes it is still there.
  expect(adoptDraft(drafts, 'b')).toBe(null);
  const { pid } = spawnSync('true');
  renameSync(join(drafts, `new-${process.pid}-a.json`), join(drafts, `new-${pid}-a.json`));
  expect(adoptDraft(drafts, 'b')).toEqual(['unsaid']);
  expect(adoptDraft(drafts, 'c')).toBe(null);
  saveDraft(drafts, made('b'), ['said later']);
  expect(readdirSync(drafts)).toEqual([`b.${process.pid}.json`]);
});

test('a history that cannot be read is none, and what is added to it tells why', async () => {
  mkdirSync(path, { recursive: true });
  expect(loadHistory(path)).toEqual([]);
  await expect(appendHistory(path, ['one'])).rejects.toThrow('EISDIR');
});
