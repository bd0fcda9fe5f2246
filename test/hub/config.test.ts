import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homePaths, type Preferences, projectConfig, readPreferences, writePreference } from '../../hub/config.js';
import { withFolder } from '../support/hub.js';

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

  test('that is unknown, misspelled or of no sense is told with its line', async () => {
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

  test('refuses what would not be read back', async () => {
    await withFolder(async (home) => {
      const file = homePaths(home).config;
      expect(() => writePreference(file, 'color', 'pink')).toThrow('color is one of auto, always, never, not "pink"');
      expect(() => writePreference(file, 'pager', 'less\nx = y')).toThrow('pager is one line');
      expect(() => writePreference(file, 'colr', 'never')).toThrow('there is no preference "colr"');
    });
  });
});
