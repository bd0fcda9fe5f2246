import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  homePaths,
  type Preferences,
  projectConfig,
  readPreferences,
  writePreference,
} from '../../../hub/config/config.js';
import { withFolder } from '../../support/hub.js';
import { canMount, mountDisk, unmount } from '../../support/mounts.js';

const NAMES = ['COGNITION_COLOR', 'COGNITION_PAGER', 'PAGER', 'COGNITION_ASCII'];
const before = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));

beforeEach(() => {
  for (const name of NAMES) delete process.env[name];
});
afterEach(() => {
  for (const name of NAMES) if (before[name] !== undefined) process.env[name] = before[name];
});

function origin(preferences: Preferences, key: string): string {
  const found = preferences.all.find((one) => one.preference.key === key);
  return `${found?.value} (${found?.origin})`;
}

describe('a preference', () => {
  test('comes from the strongest place that sets it', async () => {
    await withFolder(async (home) => {
      const project = join(home, 'project');
      const read = (flags: Record<string, string> = {}) => origin(readPreferences({ home, project, flags }), 'color');
      expect(read()).toBe('auto (default)');
      writeFileSync(homePaths(home).config, '# mine\ncolor = never\n');
      expect(read()).toBe('never (user)');
      mkdirSync(join(project, '.cognition'), { recursive: true });
      writeFileSync(projectConfig(project), 'color=always');
      expect(read()).toBe('always (project)');
      process.env.COGNITION_COLOR = 'never';
      expect(read()).toBe('never (environment)');
      expect(read({ color: 'always' })).toBe('always (flag)');
    });
  });

  test('takes the first of its environment variables, an empty one counting as unset', async () => {
    await withFolder(async (home) => {
      process.env.COGNITION_PAGER = '';
      process.env.PAGER = 'more';
      expect(origin(readPreferences({ home, project: null, flags: {} }), 'pager')).toBe('more (environment)');
    });
  });

  test('that runs a command is not taken from a project', async () => {
    await withFolder(async (home) => {
      const project = join(home, 'project');
      mkdirSync(join(project, '.cognition'), { recursive: true });
      writeFileSync(projectConfig(project), 'pager = rm -rf /\n');
      const preferences = readPreferences({ home, project, flags: {} });
      expect(preferences.get('pager')).toBe('less -R');
      expect(preferences.warnings).toEqual([
        `${projectConfig(project)}:1: pager cannot be set by a project; it is ignored`,
      ]);
    });
  });

  test('that is unknown, misspelled or malformed is reported with its line', async () => {
    await withFolder(async (home) => {
      const file = homePaths(home).config;
      writeFileSync(file, 'colour = never\n\nwhatever\nascii = maybe\nhub.idle_minutes = -1\n');
      expect(readPreferences({ home, project: null, flags: {} }).warnings).toEqual([
        `${file}:1: there is no preference "colour"; did you mean color?`,
        `${file}:3: not of the form "key = value"; it is ignored`,
        `${file}: ascii is true or false, not "maybe"; it is ignored`,
        `${file}: hub.idle_minutes is a number from 0.001 to 525600, not "-1"; it is ignored`,
      ]);
    });
  });
});

test('a file that is a pipe, a device or huge is ignored with a warning', async () => {
  await withFolder(async (home) => {
    const project = join(home, 'project');
    const file = projectConfig(project);
    mkdirSync(join(project, '.cognition'), { recursive: true });
    const warnings = () => readPreferences({ home, project, flags: {} }).warnings;
    symlinkSync('/dev/zero', file);
    expect(warnings()).toEqual([`${file} cannot be read: it is not a file; it is ignored`]);
    rmSync(file);
    execFileSync('sh', ['-c', 'mkfifo "$0"', file]);
    expect(warnings()).toEqual([`${file} cannot be read: it is not a file; it is ignored`]);
    rmSync(file);
    writeFileSync(file, 'ascii = true\n'.repeat(100_000));
    expect(warnings()).toEqual([`${file} cannot be read: it has more than 262144 bytes; it is ignored`]);
  });
});

describe('the address of a database', () => {
  test('comes from the person’s own file only, and is shown without its password', async () => {
    await withFolder(async (home) => {
      const project = join(home, 'project');
      mkdirSync(join(project, '.cognition'), { recursive: true });
      writeFileSync(projectConfig(project), 'postgres.shop = postgres://evil/db\n');
      writeFileSync(
        homePaths(home).config,
        'postgres.shop = postgres://me:s%40cret@db.test:5433/shop?sslmode=require\n',
      );
      const preferences = readPreferences({ home, project, flags: {} });
      expect([...preferences.connections]).toEqual([
        ['shop', 'postgres://me:s%40cret@db.test:5433/shop?sslmode=require'],
      ]);
      expect(origin(preferences, 'postgres.shop')).toBe('postgres://me:***@db.test:5433/shop?sslmode=require (user)');
      expect(preferences.get('postgres.shop')).toBe('postgres://me:***@db.test:5433/shop?sslmode=require');
      expect(preferences.warnings).toEqual([
        `${projectConfig(project)}:1: postgres.shop cannot be set by a project; it is ignored`,
      ]);
    });
  });

  test.each([
    ['postgres://me@db/shop', 'postgres://me@db/shop'],
    ['postgresql://me:canary@[::1]/shop', 'postgresql://me:***@[::1]/shop'],
    ['postgres://me:can@ary@db/shop', 'postgres://me:***@db/shop'],
    ['postgres://me:canary@/shop?host=/run/pg', 'postgres://me:***@/shop?host=/run/pg'],
    ['postgres://db/shop?user=me&password=canary', 'postgres://db/shop?user=me&password=***'],
    ['postgres://db/shop?p%61ssword=canary&a=b', 'postgres://db/shop?p%61ssword=***&a=b'],
    ['/var/run/postgresql shop', '/var/run/postgresql shop'],
  ])('such as %s is shown as %s', async (value, shown) => {
    await withFolder(async (home) => {
      writePreference(homePaths(home).config, 'postgres.shop', value);
      const preferences = readPreferences({ home, project: null, flags: {} });
      expect(preferences.get('postgres.shop')).toBe(shown);
      expect(preferences.connections.get('shop')).toBe(value);
      expect(statSync(homePaths(home).config).mode & 0o777).toBe(0o600);
    });
  });

  test.each([
    'postgres://me:12/canary@db/shop',
    'postgres://me:can#ary@db/shop',
    'postgres://me:can?ary@db/shop',
    'postgres://me:can ary@db/shop',
    'mysql://me:canary@db/shop',
    'host=db password=canary',
    '',
  ])('that would be read in two ways is refused without being repeated: %s', async (value) => {
    await withFolder(async (home) => {
      const file = homePaths(home).config;
      const refusal = refusalOf(() => writePreference(file, 'postgres.shop', value));
      expect(refusal).toContain('postgres.shop is an address such as');
      writeFileSync(file, `postgres.shop = ${value}\n`);
      const { warnings, all, connections } = readPreferences({ home, project: null, flags: {} });
      expect(warnings).toHaveLength(1);
      expect(connections.size).toBe(0);
      expect(refusal + warnings.join() + JSON.stringify(all)).not.toMatch(/canary|ary@/);
    });
  });

  test('is not quoted when the equals sign is missing', async () => {
    await withFolder(async (home) => {
      const file = homePaths(home).config;
      const address = 'postgres://me:canary@db/shop?sslmode=require';
      writeFileSync(file, `postgres.shop ${address}\npostgres.shop: ${address}\n`);
      expect(readPreferences({ home, project: null, flags: {} }).warnings).toEqual([
        `${file}:1: not of the form "key = value"; it is ignored`,
        `${file}:2: not of the form "key = value"; it is ignored`,
      ]);
    });
  });

  test('needs a name of letters, digits, - and _', async () => {
    await withFolder(async (home) => {
      const file = homePaths(home).config;
      const joined = refusalOf(() => writePreference(file, 'postgres.shop=postgres://me:canary@db', 'x'));
      expect(joined).toContain('there is no preference "postgres.shop"');
      expect(joined).not.toContain('canary');
      for (const key of ['postgres.', 'postgres.a.b', 'postgres.a b', 'postgres']) {
        expect(refusalOf(() => writePreference(file, key, 'postgres://db'))).toContain('there is no preference');
      }
    });
  });
});

function refusalOf(call: () => void): string {
  try {
    call();
  } catch (error) {
    return String(error);
  }
  return '';
}

describe('writing a preference', () => {
  test('replaces its line and leaves the others as they are', async () => {
    await withFolder(async (home) => {
      const file = homePaths(home).config;
      writeFileSync(file, '# mine\ncolor = never\n\nascii = true\n');
      writePreference(file, 'color', 'always');
      expect(readFileSync(file, 'utf8')).toBe('# mine\n\nascii = true\ncolor = always\n');
      writePreference(file, 'color', null);
      expect(readFileSync(file, 'utf8')).toBe('# mine\n\nascii = true\n');
    });
  });

  test.skipIf(!canMount)(
    'on a full disk fails with a message, and leaves the file unchanged and no draft',
    async () => {
      await withFolder(async (home) => {
        mountDisk(home, '16k');
        try {
          const file = homePaths(home).config;
          writeFileSync(file, '# '.repeat(5_000));
          const refusal = refusalOf(() => writePreference(file, 'color', 'never'));
          expect(refusal).toContain(`${file} cannot be written: ENOSPC`);
          expect([readdirSync(home), statSync(file).size]).toEqual([['config'], 10_000]);
        } finally {
          unmount(home);
        }
      });
    },
  );

  test('refuses what would not be read back', async () => {
    await withFolder(async (home) => {
      const file = homePaths(home).config;
      expect(() => writePreference(file, 'color', 'pink')).toThrow('color is one of auto, always, never, not "pink"');
      expect(() => writePreference(file, 'pager', 'less\nx = y')).toThrow('pager is one line');
      expect(() => writePreference(file, 'colr', 'never')).toThrow('there is no preference "colr"');
    });
  });
});
