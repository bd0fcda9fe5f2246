import { readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withHeldFolder } from '../../hub/base/disk/held_folder.js';
import { realNameOf } from '../../tools/file/path/named_file.js';
import { guardOf } from '../../tools/file/path/policy_guard.js';
import { readProject } from '../../tools/file/project/read_project.js';
import { withFileContent } from '../../tools/file/read_file.js';
import { extent } from './extent.js';
import { readNaively, withSwaps } from './swaps.js';

const { count } = extent(1_000);

test('while files and folders of a project are exchanged with links to secrets, what a turn begins with holds none', () =>
  withSwaps(async ({ project, machine }) => {
    let harmless = 0;
    let refused = 0;
    let secrets = 0;
    const params = { project, branch: `${project}/place`, caller: project };
    for (let tries = 0; tries < count; tries += 1) {
      const read = readProject({ machine, clock: Date.now }, { ...params, parts: ['instructions', 'skills', 'plan'] });
      const text = JSON.stringify([read.instructions, read.skills, read.plan]);
      if (text.includes('SECRET')) secrets += 1;
      if (text.includes('harmless')) harmless += 1;
      if (read.refused.length > 0) refused += 1;
    }
    console.log(`swaps, instructions: tried ${count}, failed ${secrets} (read ${harmless}, refused ${refused})`);
    expect(secrets).toBe(0);
    // The swapper was met in both of its states.
    expect([harmless > 0, refused > 0]).toEqual([true, true]);
  }));

test('control: the same exchanges deceive a reader that checks the path and opens it afterwards', () =>
  withSwaps(async ({ project, files }) => {
    let leaks = 0;
    for (let tries = 0; tries < 100 * count && leaks === 0; tries += 1) {
      for (const file of files) if ((await readNaively(file, project)).includes('SECRET')) leaks += 1;
    }
    expect(leaks).toBeGreaterThan(0);
  }));

test('while a file that a person names is exchanged with a link out of the project, what is read is never out of it', () =>
  withSwaps(async ({ project, files }) => {
    const outcomes = { harmless: 0, secret: 0, refused: 0 };
    const guard = guardOf({ kind: 'open' }, { userHome: '', cognitionHome: '', commands: '', path: '' }, null);
    const shrinkImage = () => Promise.reject(new Error('it is no image'));
    const { signal } = new AbortController();
    const request = { name: 'it', offset: 1, limit: 10, keptBytesMax: 1_000, shrinkImage, signal };
    for (let tries = 0; tries < count; tries += 1) {
      const absolute = files[tries % files.length] ?? '';
      const text = await Promise.resolve()
        .then(() => ({ absolute, guard, request, meant: realNameOf(absolute, project) }))
        .then((wanted) => withFileContent(wanted, async ({ result }) => JSON.stringify(result.blocks)))
        .catch(String);
      if (text.includes('SECRET')) outcomes.secret += 1;
      else outcomes[text.includes('harmless') ? 'harmless' : 'refused'] += 1;
    }
    console.log(`swaps, named files: tried ${count}, failed ${outcomes.secret} (refused ${outcomes.refused})`);
    expect(outcomes.secret).toBe(0);
    expect([outcomes.harmless > 0, outcomes.refused > 0]).toEqual([true, true]);
  }));

test('while its folder is exchanged with a link, an export is written in the folder itself or not at all', () =>
  withSwaps(async ({ project, secret }) => {
    const place = join(project, 'place');
    const outcomes = { written: 0, refused: 0 };
    for (let tries = 0; tries < count; tries += 1) {
      const work = (at: string) => writeFile(join(at, `export-${tries}`), 'text');
      await withHeldFolder(place, work).then(
        () => (outcomes.written += 1),
        () => (outcomes.refused += 1),
      );
    }
    expect((await readdir(join(secret, 'place'))).filter((name) => name.startsWith('export'))).toEqual([]);
    expect([outcomes.written > 0, outcomes.refused > 0]).toEqual([true, true]);
    console.log(`swaps, exports: tried ${count}, failed 0 (written ${outcomes.written})`);
  }));

test('control: the same exchanges deceive an export that checks its folder and writes there afterwards', () =>
  withSwaps(async ({ project, secret }) => {
    const place = join(project, 'place');
    const isDeceived = async () => (await readdir(join(secret, 'place'))).includes('export');
    for (let tries = 0; tries < 100 * count && !(await isDeceived()); tries += 1) {
      if ((await realpath(place).catch(() => null)) !== place) continue;
      await writeFile(join(place, 'export'), 'text').catch(() => undefined); // between two renames there is no such folder
    }
    expect(await isDeceived()).toBe(true);
  }));
