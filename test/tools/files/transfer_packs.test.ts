import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { expect, test } from 'vitest';
import { TransferId } from '../../../hub/protocol/methods/transfer_methods.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import { type BlobStore, openBlobStore } from '../../../tools/files/store/blob_store.js';
import { createPackDraft, type PackRows } from '../../../tools/files/store/pack_file.js';
import { encodeTree, type TreeEntry } from '../../../tools/files/store/tree_format.js';
import { exportPacks, importPacks } from '../../../tools/files/worker/transfer_packs.js';
import { foldersIn, openFiles } from '../../gauntlet/files.js';
import { withFolder } from '../../support/hub.js';

const transfer = TransferId.parse('7b0c3d4e-5f60-4718-8293-a4b5c6d7e8f9');

/** Where a test puts the packs that somebody sends. */
function sentTo(folder: string): string {
  const packs = join(folder, 'transfers', transfer);
  mkdirSync(packs, { recursive: true });
  return packs;
}

const sha256Of = (bytes: Buffer): Sha256 => Sha256.parse(createHash('sha256').update(bytes).digest('hex'));
const snapshotOf = (store: BlobStore, tree: Sha256): Sha256 =>
  store.put(Buffer.from(JSON.stringify({ tree, left_out: [] })), 'plain');
const treeOf = (store: BlobStore, entries: Record<string, TreeEntry>): Sha256 =>
  store.put(encodeTree(new Map(Object.entries(entries))), 'plain');
const folderEntry = (sha256: Sha256): TreeEntry => ({ kind: 'folder', mode: 0o755, size: 0, sha256 });
const fileEntry = (store: BlobStore, text: string): TreeEntry => ({
  ...{ kind: 'file', mode: 0o644, size: text.length },
  sha256: store.put(Buffer.from(text), 'compressed'),
});

/** Snapshots that somebody has made by hand; each pack and each blob is what its name says. */
const MADE: Record<string, (store: BlobStore) => Sha256> = {
  'a name that leads out of the folder': (store) => snapshotOf(store, treeOf(store, { '..': fileEntry(store, 'x') })),
  'a name with a slash': (store) => snapshotOf(store, treeOf(store, { '../../x': fileEntry(store, 'x') })),
  'a folder of git': (store) => snapshotOf(store, treeOf(store, { '.GIT': fileEntry(store, 'x') })),
  'what configures cognition in a project': (store) =>
    snapshotOf(
      store,
      treeOf(store, { '.Cognition': folderEntry(treeOf(store, { 'mcp.json': fileEntry(store, '{}') })) }),
    ),
  'a link in its place': (store) =>
    snapshotOf(store, treeOf(store, { '.cognition': { ...fileEntry(store, 'docs'), kind: 'link', mode: 0o777 } })),
  'the drafts of a restore': (store) =>
    snapshotOf(store, treeOf(store, { '.cognition-restore-0123456789abcdef': folderEntry(treeOf(store, {})) })),
  'a mode that lends the owner': (store) =>
    snapshotOf(store, treeOf(store, { a: { ...fileEntry(store, 'x'), mode: 0o4755 } })),
  'a size that is not the content': (store) =>
    snapshotOf(store, treeOf(store, { a: { ...fileEntry(store, 'x'), size: 9 } })),
  'a link with a zero in it': (store) =>
    snapshotOf(store, treeOf(store, { a: { ...fileEntry(store, 'a\0b'), kind: 'link', mode: 0o777 } })),
  'entries in another order': (store) => {
    const parts = ['b', 'a'].map((name) => encodeTree(new Map([[name, fileEntry(store, name)]])));
    return snapshotOf(store, store.put(Buffer.concat(parts), 'plain'));
  },
  'content that is in no pack': (store) =>
    snapshotOf(
      store,
      treeOf(store, { a: { kind: 'file', mode: 0o644, size: 4, sha256: sha256Of(Buffer.from('away')) } }),
    ),
  'a folder that holds another twice, thirty times over': (store) => {
    let tree = treeOf(store, { a: fileEntry(store, 'x') });
    for (let count = 0; count < 30; count += 1) tree = treeOf(store, { a: folderEntry(tree), b: folderEntry(tree) });
    return snapshotOf(store, tree);
  },
  'folders a thousand deep': (store) => {
    let tree = treeOf(store, {});
    for (let count = 0; count < 1_000; count += 1) tree = treeOf(store, { a: folderEntry(tree) });
    return snapshotOf(store, tree);
  },
  'more entries than any project has': (store) => {
    const entry = fileEntry(store, 'x');
    return snapshotOf(
      store,
      treeOf(store, Object.fromEntries(Array.from({ length: 400_001 }, (_, at) => [`n${at}`, entry]))),
    );
  },
  'a snapshot that is no JSON': (store) => store.put(Buffer.from('{"tree":'), 'plain'),
  'a pieced file whose pieces are fewer': (store) => {
    const list = store.put(Buffer.from(fileEntry(store, 'x').sha256, 'hex'), 'plain');
    return snapshotOf(store, treeOf(store, { a: { kind: 'pieces', mode: 0o644, size: 3_000_000, sha256: list } }));
  },
};

const STORES = { look: false, partial: false };
const REFUSED = /^the recorded files cannot be imported: /;

test('snapshots such as no scan makes are refused, and nothing of them is in the store', () =>
  withFolder(async (folder) => {
    for (const [index, [what, make]] of Object.entries(MADE).entries()) {
      const store = join(folder, String(index));
      const sent = openBlobStore(sentTo(store));
      const root = make(sent);
      sent.flush();
      expect(() => importPacks({ folder: store, transfer, roots: [root] }, STORES), what).toThrow(REFUSED);
      const packs = join(store, 'packs');
      expect([what, existsSync(packs) ? readdirSync(packs) : []]).toEqual([what, []]);
    }
  }));

/** A pack that is written by hand. */
function packOf(folder: string, block: Buffer, rows: PackRows): void {
  const draft = createPackDraft(sentTo(folder));
  draft.write(block);
  draft.finish(rows);
}

test('packs that unpack without end, or lead beyond their end, are refused', () =>
  withFolder(async (folder) => {
    const zeros = Buffer.alloc(20_000_000);
    const bomb = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    const place = { blockAt: 0, blockLength: bomb.length, isCompressed: true, offset: 0, size: zeros.length };
    packOf(join(folder, 'bomb'), bomb, new Map([[sha256Of(zeros), place]]));
    packOf(join(folder, 'beyond'), bomb, new Map([[sha256Of(bomb), { ...place, blockLength: 4_000_000_000 }]]));
    packOf(join(folder, 'other'), bomb, new Map([[sha256Of(Buffer.from('x')), { ...place, isCompressed: false }]]));
    for (const name of ['bomb', 'beyond', 'other']) {
      expect(() => importPacks({ folder: join(folder, name), transfer, roots: [] }, STORES), name).toThrow(REFUSED);
    }
  }));

test('what one store exports another takes whole, also when it has some of it, and junk beside it stays away', () =>
  withFolder(async (folder) => {
    const { project, store } = foldersIn(folder);
    const files = openFiles(project, store);
    writeFileSync(join(project, 'a'), 'one');
    writeFileSync(join(project, 'large'), Buffer.alloc(2_500_000, 'x'));
    const first = files.scan().root;
    writeFileSync(join(project, 'a'), 'two');
    const second = files.scan().root;
    files.close();
    expect(exportPacks({ folder: store, transfer, roots: [first, second], known: [] })).toEqual({ lost: [], files: 2 });
    const other = join(folder, 'other');
    const sent = sentTo(other);
    for (const name of readdirSync(sentTo(store)))
      writeFileSync(join(sent, name), readFileSync(join(sentTo(store), name)));
    const junk = openBlobStore(sent);
    const unwanted = junk.put(Buffer.from('junk'), 'plain');
    junk.flush();
    expect(importPacks({ folder: other, transfer, roots: [first] }, STORES).files).toBe(2);
    expect(importPacks({ folder: other, transfer, roots: [first, second] }, STORES).files).toBe(2);
    const taken = openBlobStore(join(other, 'packs'));
    expect([taken.has(first), taken.has(second), taken.has(unwanted), taken.problems()]).toEqual([
      true,
      true,
      false,
      [],
    ]);
  }));

test('packs may lack what both stores have, and are refused where the other one has not', () =>
  withFolder(async (folder) => {
    const { project, store } = foldersIn(folder);
    const files = openFiles(project, store);
    writeFileSync(join(project, 'large'), randomBytes(900_000));
    const first = files.scan().root;
    writeFileSync(join(project, 'a'), 'two');
    const second = files.scan().root;
    files.close();
    const bytesOf = (known: Sha256[]): number => {
      rmSync(sentTo(store), { recursive: true });
      expect(
        exportPacks({ folder: store, transfer, roots: known.length === 0 ? [first] : [second], known }).lost,
      ).toEqual([]);
      return readdirSync(sentTo(store)).reduce((sum, name) => sum + statSync(join(sentTo(store), name)).size, 0);
    };
    const take = (other: string, roots: Sha256[]): number => {
      rmSync(sentTo(other), { recursive: true, force: true });
      cpSync(sentTo(store), sentTo(other), { recursive: true });
      return importPacks({ folder: other, transfer, roots }, { look: false, partial: true }).files;
    };
    const [one, none] = [join(folder, 'one'), join(folder, 'none')];
    const whole = bytesOf([]);
    expect(take(one, [first])).toBe(1);
    expect(bytesOf([first])).toBeLessThan(whole / 10);
    expect(take(one, [second])).toBe(2);
    expect(openBlobStore(join(one, 'packs')).problems()).toEqual([]);
    expect(() => take(none, [second])).toThrow(REFUSED);
    expect(readdirSync(join(none, 'packs'))).toEqual([]);
  }));
