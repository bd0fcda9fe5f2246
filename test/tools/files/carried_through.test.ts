import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Sha256 } from '../../../hub/protocol/node.js';
import { type Pending, writeJournal } from '../../../tools/files/restore/journal.js';
import { foldersIn, openFiles } from '../../gauntlet/files.js';
import { withFolder } from '../../support/hub.js';

const DRAFTS = '.cognition-restore-0123456789abcdef';

/** A project with a file in a folder, recorded as `one` and as `two`, and a restore of `one` that a kill has ended in some state. */
async function afterKill(folder: string, state: Pending['state']) {
  const { project, store } = foldersIn(folder);
  const file = join(project, 'deep', 'file');
  mkdirSync(join(project, 'deep'));
  const files = openFiles(project, store);
  const roots = ['one', 'two'].map((text) => {
    writeFileSync(file, text);
    return files.scan().root;
  });
  const [one = Sha256.parse(''), two = Sha256.parse('')] = roots;
  const change = files.diff(two, one).find(({ path }) => path === 'deep/file');
  const changes = [{ path: 'deep/file', was: change?.before ?? null, want: change?.after ?? null }];
  const pending = { state, drafts: DRAFTS, from: two, known: { from: two, to: one }, changes };
  writeJournal(join(store, 'journal.json'), { pending, last: null });
  mkdirSync(join(project, DRAFTS));
  return { project, store, file };
}

test('a restore makes its new files in its own folder, of which a kill leaves nothing beside what was there', () =>
  withFolder(async (folder) => {
    const { project, store, file } = await afterKill(folder, 'staging');
    writeFileSync(join(project, DRAFTS, '0.new'), 'on');
    await openFiles(project, store).recover();
    expect(readdirSync(join(project, 'deep'))).toEqual(['file']);
    expect(readdirSync(project)).toEqual(['deep']);
    expect(readFileSync(file, 'utf8')).toBe('two');
  }));

test('what a person has made of a file, as long as what was recorded, stays when a killed restore is carried through', () =>
  withFolder(async (folder) => {
    const { project, store, file } = await afterKill(folder, 'applying');
    writeFileSync(join(project, DRAFTS, '0.new'), 'one');
    writeFileSync(file, 'own');
    await openFiles(project, store).recover();
    expect(readFileSync(file, 'utf8')).toBe('own');
    expect(existsSync(join(project, DRAFTS))).toBe(false);
    expect(readdirSync(join(project, 'deep'))).toEqual(['file']);
  }));

test('what somebody changes beside a restore that goes on is not taken back with it', () =>
  withFolder(async (folder) => {
    const { project, store } = foldersIn(folder);
    const [restored, others] = [join(project, 'restored'), join(project, 'others')];
    writeFileSync(restored, 'one');
    writeFileSync(others, 'one');
    const openIn = async (): Promise<ReadonlySet<string>> => {
      writeFileSync(others, 'by somebody');
      return new Set();
    };
    const files = openFiles(project, store, { openIn });
    const one = files.scan().root;
    writeFileSync(restored, 'two');
    const two = files.scan().root;
    expect(await files.restore({ base: two, target: one, exact: false })).toEqual({ changed: 1, kept: [], to: one });
    await openFiles(project, store).undo();
    expect([restored, others].map((path) => readFileSync(path, 'utf8'))).toEqual(['two', 'by somebody']);
  }));
