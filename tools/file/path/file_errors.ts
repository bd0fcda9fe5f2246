import { errnoOf } from '../../../hub/base/errno.js';
import { HubError } from '../../../hub/base/error.js';
import type { ErrorKind } from '../../../hub/protocol/errors.js';

/** The result of a system call, or a fallback when it fails with one of these codes. */
export async function fallbackOn<T, U>(
  codes: readonly string[] | 'any',
  operation: Promise<T>,
  fallback: U,
): Promise<T | U> {
  try {
    return await operation;
  } catch (error) {
    const code = errnoOf(error);
    if (code !== null && (codes === 'any' || codes.includes(code))) return fallback;
    throw error;
  }
}

const REASONS: Record<string, [kind: ErrorKind, reason: string, hint: string]> = {
  ENOENT: ['not_found', 'it does not exist', 'look at the folder above it'],
  ENOTDIR: ['not_found', 'a part of the path is a file, not a folder', 'look at the folder above it'],
  EACCES: ['unauthorised', 'the system does not permit it', 'look at its owner and mode'],
  EPERM: ['unauthorised', 'the system does not permit it', 'look at its owner and mode'],
  EROFS: ['unauthorised', 'it lies on a disk that is read-only', 'choose another place'],
  ETXTBSY: ['conflict', 'it is a program that is running', 'end it first'],
  EBUSY: ['conflict', 'something is mounted on it', 'choose another place'],
  ELOOP: ['invalid_params', 'its symbolic links lead in a circle', 'name the file that is meant'],
  ENAMETOOLONG: ['invalid_params', 'the path is too long: a name has at most 255 bytes', 'choose a shorter name'],
  EILSEQ: ['invalid_params', 'this disk cannot keep such a name', 'choose another name'],
  ENOSPC: ['disk_full', 'the disk is full', 'make room and try again'],
  EDQUOT: ['disk_full', 'the quota of the disk is used up', 'make room and try again'],
  EFBIG: ['limit', 'the disk keeps no file of that size', 'write less'],
  EMFILE: ['limit', 'too many files are open', 'try again later'],
  ENFILE: ['limit', 'too many files are open', 'try again later'],
  EAGAIN: ['invalid_params', 'it has nothing to read now and would keep its reader waiting', 'read a regular file'],
};

const RETRYABLE = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'];

/** A system error in words for a person; a HubError stays as it is. */
export function fileError(error: unknown, what: string): HubError {
  if (error instanceof HubError) return error;
  if (error instanceof Error && error.name === 'AbortError') {
    return new HubError('cancelled', `${what}: it was cancelled`, { cause: error });
  }
  const code = errnoOf(error) ?? '';
  const entry = REASONS[code];
  if (entry !== undefined) {
    const [kind, reason, hint] = entry;
    return new HubError(kind, `${what}: ${reason}`, { hint, cause: error, retryable: RETRYABLE.includes(code) });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new HubError('storage_failed', `${what}: ${reason}`, { hint: 'the disk may be failing', cause: error });
}

/** A path for messages: on one line, whatever is in it. */
export function shownPath(path: string): string {
  const cut = path.length > 300 ? `${path.slice(0, 300)}…` : path;
  if (/^[\p{L}\p{N}\p{M}\p{P}\p{S} ]*$/u.test(cut)) return cut;
  return JSON.stringify(cut).replace(/[\p{Cc}\p{Bidi_Control}]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
