import { join } from 'node:path';
import { pin, readPinned, unpin } from './pinned_folder.js';
import { IGNORE_BYTES_MAX } from './repository.js';

/** The later counts more. */
const SETTINGS = ['.config/git/config', '.gitconfig'];
const DEFAULT = '.config/git/ignore';

/** The ignore file that a person has for all repositories; null for none. */
export function ownIgnoreFile(userHome: string): Buffer | null {
  const named = SETTINGS.map((name) => namedIn(read(join(userHome, name))?.toString() ?? '')).findLast(
    (one) => one !== null,
  );
  return read(join(userHome, named?.replace(/^~\//, '') ?? DEFAULT));
}

/** What `excludesFile` of the section `core` says, from the person's home on; null for nothing, or a path of another kind. */
function namedIn(settings: string): string | null {
  let section = '';
  let named: string | null = null;
  for (const line of settings.split('\n')) {
    section = /^\s*\[\s*([^\]\s]*)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const value = /^\s*excludesfile\s*=\s*"?(~\/[^"#;]*?)"?\s*(?:[#;].*)?$/i.exec(line)?.[1];
    if (section === 'core' && value !== undefined) named = value;
  }
  return named;
}

function read(path: string): Buffer | null {
  const file = pin(path);
  if (file === null) return null;
  try {
    return readPinned(file, IGNORE_BYTES_MAX)?.bytes ?? null;
  } finally {
    unpin(file);
  }
}
