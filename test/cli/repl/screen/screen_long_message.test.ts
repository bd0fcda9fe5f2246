import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { idle, withTalkOnScreen } from './screen_talk.js';

const LINES = Array.from({ length: 300 }, (_, line) => `line ${line + 1} of it`);

test('of a long message the beginning and the end are shown, and all of it is sent and can be seen', async () => {
  await withTalkOnScreen(
    [],
    async ({ terminal, server }) => {
      server.script(say(words('Read.')));
      await terminal.waitFor('Commands: /help');
      terminal.paste(LINES.join('\n'));
      await terminal.waitFor('[pasted 300 lines]');
      terminal.type(KEYS.enter);
      await terminal.waitFor(/^Read\.$/m);
      await idle(terminal);
      const shown = terminal.transcript();
      const begin = shown.indexOf('> line 1 of it');
      expect(shown.slice(begin, begin + 38)).toEqual([
        '> line 1 of it',
        ...LINES.slice(1, 24),
        expect.stringMatching(/^… 264 lines more: \/output [0-9a-f]{8}$/),
        ...LINES.slice(-12),
        '',
      ]);
      expect(JSON.stringify(server.requests.at(-1))).toContain('line 150 of it');
      const id = /more: \/output ([0-9a-f]{8})/.exec(shown.join('\n'))?.[1];
      terminal.type(`/output ${id}`, KEYS.enter);
      await terminal.waitFor(() => terminal.transcript().filter((line) => line === 'line 300 of it').length === 2);
      expect(terminal.transcript()).toContain('line 150 of it');
    },
    { COGNITION_PAGER: 'cat' },
  );
});

test('of a message of one endless line the middle is left out', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say(words('Read.')));
    await terminal.waitFor('Commands: /help');
    terminal.paste(`begin ${'x'.repeat(20_000)} end`);
    await terminal.waitFor(/\[pasted 20010 characters\]/);
    terminal.type(KEYS.enter);
    await terminal.waitFor(/^Read\.$/m);
    expect(terminal.transcript().join('\n')).toMatch(
      /^> begin\s+[x\s]+\n… 14,510 characters more: \/output [0-9a-f]{8}\n[x\s]+ ?end$/m,
    );
  });
});
