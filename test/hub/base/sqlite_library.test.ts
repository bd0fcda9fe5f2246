import { expect, test } from 'vitest';
import { sqliteLibraryError } from '../../../hub/base/disk/sqlite_library.js';

/** As Node says it. */
const OTHER_NODE = `The module '/srv/better_sqlite3.node'
was compiled against a different Node.js version using
NODE_MODULE_VERSION 115. This version of Node.js requires
NODE_MODULE_VERSION 127. Please try re-compiling or re-installing
the module (for instance, using \`npm rebuild\` or \`npm install\`).`;

test('a library for another version of Node is told as that, one without its native part as that, and nothing else as either', () => {
  expect(sqliteLibraryError(new Error(OTHER_NODE))).toMatchObject({
    kind: 'storage_failed',
    message: `the SQLite library better-sqlite3 was installed for another version of Node than this ${process.version}`,
    hint: 'use the Node that it was installed with; or, where it is installed, run: npm rebuild better-sqlite3',
  });
  expect(sqliteLibraryError(new Error('Could not locate the bindings file. Tried: …'))).toMatchObject({
    message: 'the SQLite library better-sqlite3 was installed without its native part',
    hint: 'run: npm rebuild better-sqlite3   (needs a C++ compiler, make and python3)',
  });
  expect([sqliteLibraryError(new Error('database is locked')), sqliteLibraryError('x')]).toEqual([null, null]);
});
