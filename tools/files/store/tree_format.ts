import { HubError } from '../../../hub/base/error.js';
import { cliCommand } from '../../../hub/base/hint.js';
import { Sha256 } from '../../../hub/protocol/node.js';

/** What a name in a folder stands for. */
export interface TreeEntry {
  /** `pieces`: a file whose blob lists the blobs of its pieces. */
  kind: 'file' | 'pieces' | 'link' | 'folder';
  /** Permissions, without the bits that lend a user or a group. */
  mode: number;
  size: number;
  /** Of a file's bytes, a link's text, or a folder's tree. */
  sha256: Sha256;
}

/** A folder: its entries by name. Names are byte strings: each character is one byte. */
export type FolderTree = ReadonlyMap<string, TreeEntry>;

const LETTERS = { file: 'f', pieces: 'p', link: 'l', folder: 'd' } as const;
const KINDS = new Map(Object.entries({ f: 'file', p: 'pieces', l: 'link', d: 'folder' } as const));
const SHA256_BYTES = 32;

/** The bytes of a tree: the same for the same entries, whatever their order. */
export function encodeTree(tree: FolderTree): Buffer {
  // Byte strings are sorted as bytes are.
  const entries = [...tree].sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = entries.flatMap(([name, { kind, mode, size, sha256 }]) => [
    Buffer.from(`${LETTERS[kind]} ${mode.toString(8)} ${size} ${name}\0`, 'latin1'),
    Buffer.from(sha256, 'hex'),
  ]);
  return Buffer.concat(parts);
}

export function decodeTree(bytes: Buffer): FolderTree {
  const tree = new Map<string, TreeEntry>();
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at);
    if (end < at || end + SHA256_BYTES >= bytes.length) throw noTree();
    const line = bytes.toString('latin1', at, end);
    const [, letter = '', mode = '', size = '', name = ''] = /^(\S) (\S+) (\S+) (.*)$/s.exec(line) ?? [];
    const sha256 = Sha256.parse(bytes.toString('hex', end + 1, end + 1 + SHA256_BYTES));
    const kind = KINDS.get(letter);
    if (kind === undefined || !isName(name)) throw noTree();
    tree.set(name, { kind, mode: Number.parseInt(mode, 8), size: Number(size), sha256 });
    at = end + 1 + SHA256_BYTES;
  }
  return tree;
}

/** Whether a byte string can be the name of something in a folder: one that cannot would lead elsewhere. */
function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/') && name.toLowerCase() !== '.git';
}

function noTree(): HubError {
  return new HubError('storage_failed', 'what is stored of a folder is damaged, or not ours', {
    hint: ['look at all of it: ', cliCommand('fsck')],
  });
}

/** Whether two entries come to the same on the disk. */
export function isSameEntry(a: TreeEntry | null, b: TreeEntry | null): boolean {
  if (a === null || b === null) return a === b;
  return hasSameContent(a, b) && (a.mode === b.mode || a.kind === 'link');
}

/** Whether two entries have the same content; folders always have. */
function hasSameContent(a: TreeEntry, b: TreeEntry): boolean {
  return a.kind === b.kind && (a.kind === 'folder' || a.sha256 === b.sha256);
}
