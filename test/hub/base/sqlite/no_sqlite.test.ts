import { expect, test } from 'vitest';
import { noSqlite } from '../../../../hub/base/sqlite/no_sqlite.js';

/** As Node says it. */
const OTHER_NODE = `The module '/srv/better_sqlite3.node'
was compiled against a different Node.js version using
NODE_MODULE_VERSION 115. This version of Node.js requires
NODE_MODULE_VERSION 127. Please try re-compiling or re-installing
the module (for instance, using \`npm rebuild\` or \`npm install\`).`;

test('where no library serves, what is wrong with the package is told, and the three ways out', () => {
  const messageOf = (error: unknown): string | undefined => noSqlite(error).message.split(', and this Node ')[0];
  expect(messageOf(new Error(OTHER_NODE))).toBe('better-sqlite3 was installed for another version of Node');
  expect(messageOf(new Error('Could not locate the bindings file. Tried: …'))).toBe(
    'better-sqlite3 was installed without its native part',
  );
  expect(messageOf(new Error("Cannot find package 'better-sqlite3' imported from …"))).toBe(
    'better-sqlite3 is not installed',
  );
  expect(messageOf(new Error('no room\nat dlopen'))).toBe('better-sqlite3 cannot be loaded: no room');
  expect(noSqlite(null)).toMatchObject({
    kind: 'storage_failed',
    message: expect.stringMatching(/^this Node v[\d.]+ brings (no SQLite|SQLite [\d.]+, too old)$/),
    hint: expect.stringMatching(/^one of three ways: Node .*; a C\+\+ compiler, .*; or an installation where npm /),
  });
});
