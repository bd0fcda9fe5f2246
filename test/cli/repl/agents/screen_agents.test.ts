import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS, withChat } from '../../../support/terminal.js';
import { idle, withTalkOnScreen } from '../screen/screen_talk.js';

const TASK = 'demo: run echo begun; until [ -e go ]; do sleep 0.02; done; echo over';

test('the agents panel lists the turn and its sub-session, and one reads along while it runs', async () => {
  await withTalkOnScreen([], async ({ terminal, server, folder }) => {
    server.script(say(call('c1', 'spawn_session', { task: TASK, provider: 'demo' })), say(words('It has been done.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('let it be done', KEYS.enter);
    await terminal.waitFor('begun');
    // Esc would end the turn.
    terminal.type(KEYS.control('o'));
    await terminal.waitFor('NORMAL');
    terminal.type(' a');
    await terminal.waitFor(/At work/);
    expect(terminal.modes().alternate).toBe(true);
    const listed = await terminal.waitFor(/calling .*demo\/demo/);
    expect(listed[1]).toMatch(/^> your turn {2}calling {2}\d+ s .*anthropic\/claude-sonnet-5$/);
    expect(listed[2]).toMatch(/^ {2}demo: run echo beg.* {2}calling {2}\d+ s .*demo\/demo$/);
    expect(listed.at(-1)).toBe('j k choose  Enter read along  x stop it  q leave');
    terminal.type('j', KEYS.enter);
    await terminal.waitFor(/^\[bash\] echo begun; until/m);
    writeFileSync(join(folder, 'go'), '');
    await terminal.waitFor(/^\(it has ended\)$/m);
    await terminal.waitFor(/^over$/m);
    terminal.type('q');
    await terminal.waitFor(/done .*demo\/demo/);
    terminal.type('q');
    await terminal.waitFor('It has been done.');
    await idle(terminal);
    expect(terminal.modes().alternate).toBe(false);
  });
});

test.each([
  { columns: 20, rows: 6 },
  { columns: 200, rows: 60 },
])('Space a opens an empty panel in $columns columns and $rows rows', (size) =>
  withChat({ size }, async (terminal) => {
    await terminal.waitFor(/^> /m);
    terminal.type(KEYS.escape);
    await terminal.waitFor('NORMAL');
    terminal.type(' a');
    await terminal.waitFor('Nothing is running.');
    terminal.type('j', 'k', 'G', KEYS.enter, 'q');
    await terminal.waitFor('INSERT');
    expect(terminal.modes().alternate).toBe(false);
  }),
);

test.each(['SIGTERM', 'SIGHUP'] as const)('%s while the panel is open leaves the terminal as it was', (signal) =>
  withChat({}, async (terminal) => {
    await terminal.waitFor(/^> /m);
    terminal.type(KEYS.escape);
    await terminal.waitFor('NORMAL');
    terminal.type(' a');
    await terminal.waitFor('Nothing is running.');
    terminal.kill(signal);
    expect((await terminal.exited).code).not.toBe(0);
    expect(terminal.modes()).toMatchObject({ alternate: false, mouse: false, pasteBracketed: false });
    expect(terminal.cursor().visible).toBe(true);
  }),
);
