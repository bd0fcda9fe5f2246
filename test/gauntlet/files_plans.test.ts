import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Sha256 } from '../../hub/protocol/node.js';
import { planRestore } from '../../tools/files/restore/plan_restore.js';
import { openBlobStore } from '../../tools/files/store/blob_store.js';
import { putContent, type Snapshot, type Snapshots, snapshotsIn } from '../../tools/files/store/snapshot.js';
import type { TreeEntry } from '../../tools/files/store/tree_format.js';
import { withFolder } from '../support/hub.js';
import { extent, randomFrom } from './extent.js';

const NAMES = ['a', 'b', 'ü', '-rf', 'new\nline', '*', 'x.yours', '...', ' ', 'C:\\x'];
const FOLDERS = ['src', 'src2', '.hidden'];
const CONTENTS = ['one', 'two', 'three', ''];
/** Every path of a snapshot: its content and mode in one word. */
type Files = Map<string, string>;

function randomFiles(random: () => number): Files {
  const files: Files = new Map();
  for (const folder of FOLDERS) {
    for (const name of NAMES) {
      const content = CONTENTS[Math.floor(random() * (CONTENTS.length + 2))];
      const mode = random() < 0.9 ? 0o644 : 0o755;
      if (content !== undefined) files.set(`${folder}/${name}`, `${mode} ${content}`);
    }
  }
  return files;
}

/** Two in three paths are as they were. */
function changed(files: Files, random: () => number): Files {
  const others = randomFiles(random);
  const paths = new Set([...files.keys(), ...others.keys()]);
  const pairs = [...paths].map((path) => [path, (random() < 0.66 ? files : others).get(path)] as const);
  return new Map(pairs.flatMap(([path, state]) => (state === undefined ? [] : [[path, state]])));
}

function stored(files: Files, put: { snapshots: Snapshots; content(text: string): Sha256 }): Snapshot {
  const top = new Map<string, TreeEntry>();
  for (const folder of FOLDERS) {
    const entries = new Map<string, TreeEntry>();
    for (const [path, state] of files) {
      const [mode = '', content = ''] = state.split(' ');
      const name = path.slice(folder.length + 1);
      if (!path.startsWith(`${folder}/`)) continue;
      entries.set(name, { kind: 'file', mode: Number(mode), size: content.length, sha256: put.content(content) });
    }
    top.set(folder, { kind: 'folder', mode: 0o755, size: 0, sha256: put.snapshots.putTree(entries) });
  }
  return { tree: put.snapshots.putTree(top), left_out: [] };
}

test('a plan changes exactly what still is as it was and is to be otherwise, and names all else that differs', () =>
  withFolder(async (folder) => {
    const { seed, count } = extent(50);
    const random = randomFrom(seed);
    const store = openBlobStore(join(folder, 'packs'));
    const snapshots = snapshotsIn(store);
    const content = (text: string): Sha256 => putContent(store, Buffer.from(text)).sha256;
    let paths = 0;
    for (let round = 0; round < count; round += 1) {
      const base = randomFiles(random);
      const target = changed(base, random);
      const now = changed(random() < 0.5 ? base : target, random);
      const sides = [now, base, target].map((files) => stored(files, { snapshots, content }));
      store.flush();
      const [nowAt, baseAt, targetAt] = sides;
      if (nowAt === undefined || baseAt === undefined || targetAt === undefined) return;
      const plan = planRestore(snapshots, { now: nowAt, base: baseAt, target: targetAt });
      const all = [...new Set([...base.keys(), ...target.keys(), ...now.keys()])].sort();
      paths += all.length;
      const differing = all.filter((path) => now.get(path) !== target.get(path));
      const open = differing.filter((path) => now.get(path) === base.get(path));
      const about = `seed ${seed}, round ${round}`;
      expect(plan.changes.map(({ path }) => path).sort(), about).toEqual(open);
      expect(plan.kept.map(({ path }) => path).sort(), about).toEqual(differing.filter((path) => !open.includes(path)));
    }
    console.log(`files: planned ${paths} paths in ${count} plans, all as the oracle says (seed ${seed})`);
  }));
