import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeHomeFiles, writeHomeFiles } from '../../../tools/agents/process/home_files.js';
import { withFolder } from '../../support/hub.js';

/** A home that an agent could write, and a folder of the person beside it. */
async function withPlaces(use: (places: { home: string; person: string }) => void): Promise<void> {
  await withFolder(async (folder) => {
    const [home, person] = [join(folder, 'home'), join(folder, 'person')];
    for (const path of [home, person]) mkdirSync(path);
    writeFileSync(join(person, 'settings.json'), 'theirs');
    use({ home, person });
  });
}

test('files are written below the home of an agent, and removed again', () =>
  withPlaces(({ home }) => {
    writeHomeFiles(home, { 'a.json': 'one', '.agent/sessions/b.json': 'two' });
    writeHomeFiles(home, { 'a.json': 'three' });
    expect(readFileSync(join(home, 'a.json'), 'utf8')).toBe('three');
    expect(readFileSync(join(home, '.agent/sessions/b.json'), 'utf8')).toBe('two');
    removeHomeFiles(home, ['a.json', '.agent/sessions/b.json', 'absent', '.agent']);
    expect(readdirSync(home)).toEqual(['.agent']);
    expect(readdirSync(join(home, '.agent/sessions'))).toEqual([]);
  }));

test('a folder that an agent has replaced with a link leads nowhere else', () =>
  withPlaces(({ home, person }) => {
    symlinkSync(person, join(home, '.agent'));
    const refused = expect.objectContaining({ kind: 'conflict' });
    for (const act of [
      () => writeHomeFiles(home, { '.agent/settings.json': 'planted' }),
      () => writeHomeFiles(home, { '.agent/new/settings.json': 'planted' }),
      () => removeHomeFiles(home, ['.agent/settings.json']),
    ]) {
      expect(act).toThrow(refused);
    }
    writeHomeFiles(home, { '../person/settings.json': 'planted' });
    expect(readdirSync(person)).toEqual(['settings.json']);
    expect(readFileSync(join(person, 'settings.json'), 'utf8')).toBe('theirs');
  }));

test('a file that an agent has replaced with a link is replaced itself', () =>
  withPlaces(({ home, person }) => {
    symlinkSync(join(person, 'settings.json'), join(home, 'settings.json'));
    writeHomeFiles(home, { 'settings.json': 'ours' });
    expect(readFileSync(join(person, 'settings.json'), 'utf8')).toBe('theirs');
    expect(lstatSync(join(home, 'settings.json')).isFile()).toBe(true);
  }));
