import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { patchOf } from '../../../tools/files/patch/git_patch.js';
import { openBlobStore } from '../../../tools/files/store/blob_store.js';
import { getContent, snapshotsIn } from '../../../tools/files/store/snapshot.js';
import { randomFrom } from '../../gauntlet/extent.js';
import { changeFolder, openFiles } from '../../gauntlet/files.js';
import { withFolder } from '../../support/hub.js';

/** What git knows of a folder: files, links, and which may be run. */
function gitImage(folder: string, below = ''): string[] {
  const names = readdirSync(Buffer.from(`${folder}/${below}`, 'latin1'), { encoding: 'latin1' });
  return names.flatMap((name) => {
    const path = below === '' ? name : `${below}/${name}`;
    const at = Buffer.from(`${folder}/${path}`, 'latin1');
    const stats = lstatSync(at);
    if (stats.isDirectory()) return gitImage(folder, path);
    if (stats.isSymbolicLink()) return [`${path} -> ${readlinkSync(at, 'latin1')}`];
    return [`${path} ${(stats.mode & 0o100) !== 0} ${readFileSync(at, 'latin1')}`];
  });
}

function patchBetween(store: string, before: string, after: string): Buffer {
  const blobs = openBlobStore(join(store, 'packs'));
  const snapshots = snapshotsIn(blobs);
  const [from, to] = [before, after].map((root) => snapshots.get(root as never)); // roots of scans
  if (from === undefined || to === undefined) throw new Error('two snapshots were taken');
  const differences = snapshots.diff(from, to);
  return Buffer.from(
    differences.map((one) => patchOf(one, (entry) => getContent(blobs, entry)).text).join(''),
    'latin1',
  );
}

function applied(folder: string, patch: Buffer): void {
  if (patch.length === 0) return;
  const { status, stderr } = spawnSync('git', ['apply', '--whitespace=nowarn'], {
    ...{ cwd: folder, input: patch, encoding: 'utf8' },
    // No repository around the folder counts.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: join(folder, '..'), GIT_DIR: join(folder, 'none') },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}

test('git makes of one state the other with the patch between them, whatever changed', async () => {
  for (let seed = 1; seed <= 25; seed += 1) {
    await withFolder(async (folder) => {
      const random = randomFrom(seed);
      const [project, store, copy] = ['project', 'store', 'copy'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      mkdirSync(project);
      const files = openFiles(project, store);
      changeFolder(Buffer.from(project), random);
      const before = files.scan().root;
      spawnSync('cp', ['-a', project, copy]);
      changeFolder(Buffer.from(project), random);
      const after = files.scan().root;
      applied(copy, patchBetween(store, before, after));
      expect(gitImage(copy), `seed ${seed}`).toEqual(gitImage(project));
    });
  }
});

test('a patch tells line by line, also of a file without a line end, of a mode, and of bytes that are no text', () =>
  withFolder(async (folder) => {
    const [project, store] = [join(folder, 'project'), join(folder, 'store')];
    mkdirSync(project);
    const files = openFiles(project, store);
    const write = (name: string, text: string | Buffer): void => writeFileSync(join(project, name), text);
    write('a.txt', 'one\ntwo\r\nthree');
    write('run', '#!/bin/sh\n');
    write('empty', '');
    const before = files.scan().root;
    write('a.txt', 'one\n2\nthree\n');
    chmodSync(join(project, 'run'), 0o755);
    write('bytes', Buffer.from([0, 1, 2, 255]));
    write('none', '');
    const after = files.scan().root;
    const patch = patchBetween(store, before, after).toString('latin1');
    expect(patch).toContain('@@ -1,3 +1,3 @@\n one\n-two\r\n-three\n\\ No newline at end of file\n+2\n+three\n');
    expect(patch).toContain('diff --git a/run b/run\nold mode 100644\nnew mode 100755\n');
    expect(patch).toContain('GIT binary patch\nliteral 4\n');
    expect(patch).toContain(`diff --git a/none b/none\nnew file mode 100644\nindex ${'0'.repeat(40)}..e69de29`);
  }));
