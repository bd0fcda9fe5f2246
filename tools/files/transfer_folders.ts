import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { TransferId } from '../../hub/protocol/methods/transfer_methods.js';
import type { Sha256 } from '../../hub/protocol/node.js';
import type { ToolParts } from '../base/tool_parts.js';
import { attempt } from '../walk/pinned_folder.js';
import { readBytesAt } from './store/pack_file.js';

type Place = ParsedOf<'files.transfer_drop'>;

const PIECE_BYTES = 1024 * 1024;
/** Ours end at 64 MiB and the blob that fills them. */
const PACK_BYTES_MAX = 256 * 1024 * 1024;
const PACKS_MAX = 1_000;
const FREE_BYTES_LEAST = 1_024 ** 3;
/** What a killed process has left. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1_000;

/** The folders in which packs wait that are under way. */
export function createTransferFolders({ machine, newId, clock }: Pick<ToolParts, 'machine' | 'newId' | 'clock'>) {
  const waitingIn = (folder: Sha256): string => join(machine.cognitionHome, 'files', folder, 'transfers');
  const folderOf = ({ folder, transfer }: Place): string => join(waitingIn(folder), transfer);
  const drop = (place: Place): void => rmSync(folderOf(place), { recursive: true, force: true });
  return {
    folderOf,
    drop,
    /** A new folder; those that nobody fetched are removed. */
    begin(folder: Sha256): Place {
      const waiting = waitingIn(folder);
      for (const name of attempt(() => readdirSync(waiting)) ?? []) {
        const old = TransferId.safeParse(name).data;
        const madeAtMs = attempt(() => statSync(join(waiting, name)).mtimeMs) ?? 0;
        if (old !== undefined && madeAtMs < clock() - FORGOTTEN_MS) drop({ folder, transfer: old });
      }
      const place = { folder, transfer: TransferId.parse(newId()) };
      mkdirSync(folderOf(place), { recursive: true, mode: 0o700 });
      return place;
    },
  };
}

/** A piece of a pack that is under way. */
export function readPiece(path: string, at: number): Buffer {
  const fd = attempt(() => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW));
  if (fd === null) throw new HubError('not_found', 'this pack is not under way (any more)', { hint: 'export again' });
  try {
    return readBytesAt(fd, { at, length: Math.max(0, Math.min(PIECE_BYTES, fstatSync(fd).size - at)) });
  } finally {
    closeSync(fd);
  }
}

/** Writes a piece of a pack, unless that is larger than ours are or the disk is full. */
export function writePiece(folder: string, { pack, offset, data }: ParsedOf<'files.import_write'>): void {
  const bytes = Buffer.from(data, 'base64');
  const names = attempt(() => readdirSync(folder));
  if (names === null) throw new HubError('not_found', 'this import has ended', { hint: 'begin it again' });
  if (offset + bytes.length > PACK_BYTES_MAX || names.length > PACKS_MAX) {
    throw new HubError(
      'limit',
      'the recorded files cannot be imported: their packs are larger than those of an export',
    );
  }
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < FREE_BYTES_LEAST) {
    throw new HubError('disk_full', 'the recorded files cannot be imported: less than 1 GiB is free');
  }
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;
  const fd = openSync(join(folder, pack), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
  } finally {
    closeSync(fd);
  }
}
