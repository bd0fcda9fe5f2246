import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { after, bash, withTalk } from '../conversation/talk.js';
import { withTalkOnScreen } from './screen_talk.js';

const edit = (id: string) => say(call(id, 'edit', { path: 'a.txt', old_text: 'two', new_text: '2' }));

test('at level ask a change is shown with its lines, permitted by a letter, and taken back by a command', () =>
  withTalkOnScreen(['--level', 'ask'], async ({ terminal, server, folder }) => {
    const file = join(folder, 'a.txt');
    writeFileSync(file, 'one\ntwo\nthree\n');
    server.script(edit('c1'), bash('c2', 'touch made'), say(words('All done.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('go', KEYS.enter);
    await terminal.waitFor(/- two\s+\+ 2/);
    await terminal.waitFor(/^y {2}allow it/m);
    expect(readFileSync(file, 'utf8')).toContain('two');
    terminal.type('a');
    await terminal.waitFor(/May this run\?\s+\$ touch made/);
    expect(readFileSync(file, 'utf8')).toBe('one\n2\nthree\n');
    await terminal.waitFor(/^y {2}allow it/m);
    terminal.type('n');
    await terminal.waitFor('All done.');
    expect(existsSync(join(folder, 'made'))).toBe(false);
    terminal.type('/permissions', KEYS.enter);
    await terminal.waitFor(/^1 {2}allow changes of .*a\.txt/m);
    terminal.type('/permissions 1 --forget', KEYS.enter);
    await terminal.waitFor(/taken back: allow changes of/);
    terminal.type('/permissions', KEYS.enter);
    await terminal.waitFor('Nothing is permitted here for more than one call.');
  }));

test('without a screen a change waits at level ask, and is answered by a line, by a command, or from another terminal', () =>
  withTalk(async ({ cli, server, env, chat }) => {
    const file = join(cli.folder, 'a.txt');
    writeFileSync(file, 'one\ntwo\nthree\n');
    server.script(edit('c1'), bash('c2', 'touch made'), say(words('All done.')));
    const first = await chat(['go', '/answer 1'], '--level', 'ask');
    expect(after(first.stdout, 'go')).toMatch(/May .*a\.txt be changed\?[\s\S]*- two\n\+ 2/);
    expect(readFileSync(file, 'utf8')).toBe('one\n2\nthree\n');
    expect(existsSync(join(cli.folder, 'made'))).toBe(false);
    const answered = await cli.run(['answer', '1'], { env });
    expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('All done.') });
    expect(existsSync(join(cli.folder, 'made'))).toBe(true);
    server.script(bash('c3', 'touch other'), say(words('Never mind.')));
    const waits = await cli.run(['ask', '@', 'again'], { env });
    expect([waits.code, waits.stderr]).toEqual([8, expect.stringContaining('$ touch other')]);
    await cli.run(['answer', 'use pnpm'], { env });
    expect(existsSync(join(cli.folder, 'other'))).toBe(false);
    expect(server.requests.at(-1)?.text).toContain('use pnpm');
  }));
