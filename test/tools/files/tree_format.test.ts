import { expect, test } from 'vitest';
import { Sha256 } from '../../../hub/protocol/node.js';
import { decodeTree, encodeTree, type TreeEntry } from '../../../tools/files/store/tree_format.js';

const ENTRY: TreeEntry = { kind: 'file', mode: 0o644, size: 3, sha256: Sha256.parse('ab'.repeat(32)) };

test('a tree with a name that leads elsewhere is no tree', () => {
  for (const name of ['', '.', '..', '../x', 'a/b', '/etc', '.git', '.GIT']) {
    expect(() => decodeTree(encodeTree(new Map([[name, ENTRY]]))), name).toThrow('is damaged, or not ours');
  }
});

test('a tree that was cut off is none, and a whole one is what it was', () => {
  const tree = new Map([...['a', '...', '-rf', 'new\nline', '\xff'].map((name) => [name, ENTRY] as const)]);
  const bytes = encodeTree(tree);
  expect(new Map(decodeTree(bytes))).toEqual(tree);
  for (let length = 1; length < bytes.length; length += 1) {
    const cut = bytes.subarray(0, length);
    const isWholeEntry = [...tree.keys()].some(
      (_, count) => encodeTree(new Map([...decodeTree(bytes)].slice(0, count))).length === length,
    );
    if (!isWholeEntry) expect(() => decodeTree(cut), String(length)).toThrow();
  }
});
