import { chmodSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isOwn, refuseForeignHome } from '../base/disk/home_owner.js';
import { makeFolder } from '../base/disk/make_folder.js';
import { errnoOf } from '../base/errno.js';
import { HubError } from '../base/error.js';
import { environment, type HomePaths, homePaths } from '../config/config.js';

/** Creates the home folder, or checks that the existing one belongs to the caller and is closed to other users. */
export function prepareHome(home: string): HomePaths {
  const paths = homePaths(home);
  try {
    makeFolder(home);
    refuseLongPath(home);
    const stats = statSync(home);
    if (!isPrivate(stats)) closeToOthers(paths, stats);
    makeFolder(paths.logs);
  } catch (error) {
    throw error instanceof HubError ? error : homeError(home, error);
  }
  return paths;
}

/** SQLite takes paths of up to 512 bytes: this leaves room for its own names in the home. */
const PATH_BYTES_MAX = 480;

function refuseLongPath(home: string): void {
  const bytes = Buffer.byteLength(realpathSync(home));
  if (bytes <= PATH_BYTES_MAX) return;
  throw new HubError(
    'storage_failed',
    `the path of the home folder has ${bytes} bytes, and at most ${PATH_BYTES_MAX} work`,
    {
      hint: 'set COGNITION_HOME to a folder with a shorter path',
    },
  );
}

/** Whether a folder belongs to the caller and is closed to other users. */
export function isPrivate(stats: Stats): boolean {
  return stats.isDirectory() && isOwn(stats) && (stats.mode & 0o077) === 0;
}

// A folder made by hand is usually readable by others: its mode is corrected when it is empty or cognition's own. A folder
// that holds something else, or that others can write to, is left alone.
function closeToOthers(paths: HomePaths, stats: Stats): void {
  const { home } = paths;
  refuseForeignHome(home, environment('SUDO_UID'));
  const entries = readdirSync(home);
  const known = new Set(Object.values(paths).map((path) => basename(path)));
  const isHome = (stats.mode & 0o022) === 0 && entries.some((entry) => known.has(entry));
  if (entries.length > 0 && !isHome) {
    throw new HubError('unauthorised', `the home folder ${home} is open to other users (mode ${modeOf(stats)})`, {
      hint: `set COGNITION_HOME to a folder of its own, such as ${join(home, 'cognition')}`,
    });
  }
  chmodSync(home, 0o700);
}

function modeOf(stats: Stats): string {
  return (stats.mode & 0o7777).toString(8).padStart(4, '0');
}

/** Explains why something in the home folder could not be created. */
export function homeError(path: string, error: unknown): HubError {
  const code = errnoOf(error);
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new HubError('disk_full', `the disk with ${path} is full`, {
        hint: 'make room and try again',
        retryable: true,
        cause: error,
      });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT':
      return new HubError('storage_failed', `${path} cannot be written to`, {
        hint: 'check who owns it and whether its disk is mounted read-only, or set COGNITION_HOME to another folder',
        cause: error,
      });
    case 'ENOTDIR':
    case 'EEXIST':
      return new HubError('storage_failed', `${path} cannot be a folder: a file is in the way`, {
        hint: 'move that file, or set COGNITION_HOME to another folder',
        cause: error,
      });
    default: {
      const reason = error instanceof Error ? error.message : String(error);
      return new HubError('storage_failed', `${path} cannot be used: ${reason}`, {
        hint: 'set COGNITION_HOME to another folder',
        cause: error,
      });
    }
  }
}
