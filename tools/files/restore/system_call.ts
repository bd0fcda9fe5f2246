import { errnoOf } from '../../../hub/base/errno.js';

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'it may not be changed',
  EEXIST: 'somebody made one meanwhile',
  ENOENT: 'somebody removed it meanwhile',
  ENOTDIR: 'somebody replaced a folder above it meanwhile',
  ENOTEMPTY: 'something in it is not recorded',
  EPERM: 'it may not be changed',
  EROFS: 'it is on a disk that is read-only',
  EXDEV: 'it is on another disk',
};

/** The code of the system's error; null when the call succeeds. */
export function errorOf(call: () => void): string | null {
  try {
    call();
    return null;
  } catch (error) {
    const code = errnoOf(error);
    if (code === null) throw error;
    return code;
  }
}

/** Why a file stays as it is, for a person. */
export function wordsFor(code: string): string {
  return WORDS[code] ?? `the system says ${code}`;
}
