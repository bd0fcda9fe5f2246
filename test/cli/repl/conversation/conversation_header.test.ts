import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { idle, treeOn, withTalkOnScreen } from '../screen/screen_talk.js';

test('the first lines name the files of instructions that the model is told, those of a begun conversation as well', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home, folder, another }) => {
    await terminal.waitFor('Commands: /help');
    expect(terminal.screen().join('\n')).not.toContain('Instructions:');
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(join(folder, 'AGENTS.md'), 'Be brief.');
    writeFileSync(join(home, 'CLAUDE.md'), 'Be kind.');
    server.script(say(words('Yes.')));
    await another([], async (second) => {
      await second.waitFor(/^Instructions: .*CLAUDE\.md, AGENTS\.md\nCommands: \/help$/m);
      second.type('hello', KEYS.enter);
      await second.waitFor('Yes.');
      await idle(second);
      // The first lines have said so already; after /reload it is news.
      expect(second.screen().join('\n')).not.toContain('the model is told');
      server.script(say(words('Again.')));
      second.type('/reload', KEYS.enter, 'and now?', KEYS.enter);
      await second.waitFor('Again.');
      expect(second.screen().join('').replaceAll(' ', '')).toMatch(
        /\(themodelistoldwhat.*CLAUDE\.md,.*AGENTS\.mdsays\)/,
      );
      await idle(second);
      writeFileSync(join(folder, 'AGENTS.md'), '');
      await another([treeOn(second)], async (third) => {
        await third.waitFor(/^Instructions: .*CLAUDE\.md, AGENTS\.md$/m);
      });
    });
  });
});
