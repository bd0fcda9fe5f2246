import { dirname } from 'node:path';
import { makeFolder } from '../../../hub/base/disk/make_folder.js';
import { writePreference } from '../../../hub/config/config.js';
import { withFileLock } from '../../files/file_lock.js';

/** Writes a preference, or removes it when the value is null, while no other command changes the same file. */
export async function changePreference(file: string, key: string, value: string | null): Promise<void> {
  makeFolder(dirname(file));
  await withFileLock(`${file}.lock`, () => writePreference(file, key, value));
}
