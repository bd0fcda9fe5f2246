import { expect, test } from 'vitest';
import { isWithin } from '../../../hub/base/is_within.js';
import type { Contained } from '../../../hub/protocol/policy.js';
import { mayRead, mayWrite } from '../../../tools/policy/path_rules.js';

const place = {
  userHome: '/home/P',
  cognitionHome: '/home/P/.cognition',
  commands: '/home/P/.cognition/commands',
  path: '',
};
const all: Contained = { kind: 'contained', network: false, writable: ['/data/project'], readable: null };
const few: Contained = { ...all, readable: ['/data/reference'] };

test('a path is within a folder by whole names', () => {
  expect([isWithin('/a/b', '/a'), isWithin('/a', '/a'), isWithin('/ab', '/a'), isWithin('/a', '/')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

test.each([
  ['/data/project/src/a.ts', true, true],
  ['/data/reference/a', true, true],
  ['/data/other/a', true, false],
  ['/usr/lib/x', true, true],
  ['/etc/passwd', true, true],
  ['/etc/shadow', false, false],
  ['/etc/ssh/key', false, false],
  ['/home/P/notes', false, false],
  ['/home/P/.nvm/versions/node', true, true],
  ['/home/P/.ssh/id', false, false],
  ['/home/P/.cognition/trees.db', false, false],
  ['/home/Q/x', false, false],
  ['/run/docker.sock', false, false],
  ['/tmp/x', false, false],
  ['/proc/1/environ', false, false],
  ['/dev/sda', false, false],
])('whether %s may be read with all and with few readable paths', (path, withAll, withFew) => {
  expect([mayRead(path, all, place), mayRead(path, few, place)]).toEqual([withAll, withFew]);
});

test('a policy that reads / reads everything that is not hidden', () => {
  const top: Contained = { ...all, readable: ['/'] };
  expect(['/data/other/a', '/home/P/notes', '/etc/shadow'].map((path) => mayRead(path, top, place))).toEqual([
    true,
    false,
    false,
  ]);
});

test.each([
  ['/data/project/a', true],
  ['/data/project/.github/a', true],
  ['/data/project/.git/index', false],
  ['/data/project/.gitignore', true],
  ['/data/project/sub/.git', false],
  ['/data/project/sub/.git/refs/heads/main', false],
  ['/data/project/.git', false],
  ['/data/project/.git/config', false],
  ['/data/project/.GIT/Config', false],
  ['/data/project/.git/commondir', false],
  ['/data/project/.git/hooks/post-commit', false],
  ['/data/project/.git/modules/sub/config', false],
  ['/data/project/sub/.git/config', false],
  ['/data/project/.cognition/config.toml', false],
  ['/data/project2/a', false],
  ['/data/reference/a', false],
  ['/etc/passwd', false],
])('whether %s may be written', (path, may) => {
  expect(mayWrite(path, few, place)).toBe(may);
});

test('a home folder that is the project shows everything but its secrets', () => {
  const home: Contained = { ...all, writable: ['/home/P'] };
  expect([mayWrite('/home/P/notes', home, place), mayRead('/home/P/.netrc', home, place)]).toEqual([true, false]);
});

test('/ and the folders of the kernel are never writable', () => {
  const top: Contained = { ...all, writable: ['/', '/proc', '/dev/shm'] };
  expect(['/etc/passwd', '/proc/sys/x', '/dev/shm/x'].filter((path) => mayWrite(path, top, place))).toEqual([]);
});
