import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KEYS } from '../../../support/terminal.js';
import { HOSTILE, listedByGit, plant } from '../../../tools/file/project/hostile_repositories.js';
import { withTalkOnScreen } from './screen_talk.js';

test.each(Object.entries(HOSTILE))(
  'typing the name of a file in %s runs nothing; control: git does',
  async (_, how) => {
    await withTalkOnScreen([], async ({ terminal, folder, home }) => {
      const canary = join(home, 'canary');
      plant(folder, canary, how);
      await terminal.waitFor('Tree: ');
      terminal.type('look at @app');
      await terminal.waitFor(
        (screen) => screen.some((line) => /^\s*(> )?app\.ts\s*$/.test(line)) || screen.join('\n').includes('app.ts'),
      );
      terminal.type(KEYS.escape);
      expect(existsSync(canary)).toBe(false);
      expect(listedByGit(folder, canary)).toBe(true);
    });
  },
);
