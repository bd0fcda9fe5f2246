import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KEYS } from '../../../support/terminal.js';
import { withTalkOnScreen } from '../screen/screen_talk.js';
import { waitForEditor } from './seen.js';

const EMPTY = '|Say something, or /help';
// The smallest image there is: one pixel.
const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('files are offered while their names are written: those of the project, whatever they are called', async () => {
  await withTalkOnScreen([], async ({ terminal, folder }) => {
    await terminal.waitFor('Commands: /help');
    for (const path of ['src/main.ts', 'src/my file.ts', 'docs/漢字.md', 'ignored.log', 'two\nlines.ts']) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    writeFileSync(join(folder, '.gitignore'), '*.log\n');
    symlinkSync('around', join(folder, 'around'));
    execFileSync('git', ['init'], { cwd: folder, stdio: 'ignore' });
    terminal.type('see @');
    const screen = await terminal.waitFor('src/main.ts');
    expect(screen.join('\n')).not.toMatch(/ignored|lines\.ts/);
    terminal.type('my');
    await terminal.waitFor(
      (rows) => rows.some((row) => row.includes('my file.ts')) && !rows.join('').includes('main.ts'),
    );
    terminal.type(KEYS.tab);
    await waitForEditor(terminal, 'see @"src/my file.ts" |');
    terminal.type('@漢', KEYS.tab);
    await waitForEditor(terminal, 'see @"src/my file.ts" @docs/漢字.md |');
    terminal.type('@zzz');
    await waitForEditor(terminal, 'see @"src/my file.ts" @docs/漢字.md @zzz|');
    terminal.type(KEYS.control('c'));
    await waitForEditor(terminal, EMPTY);
    terminal.type('@ma');
    await terminal.waitFor('> src/main.ts');
    terminal.type(KEYS.escape);
    await waitForEditor(terminal, '@ma|');
  });
});

test('commands are offered after a slash, and Tab takes one', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    await terminal.waitFor('Commands: /help');
    terminal.type('/qui');
    await terminal.waitFor(/^ *> \/quit/m);
    terminal.type(KEYS.tab);
    await waitForEditor(terminal, '/quit|');
    terminal.type(KEYS.control('c'), '/');
    await terminal.waitFor((rows) => rows.filter((row) => /^ {2}\/|^> \//.test(row)).length > 4);
    terminal.type(KEYS.down, KEYS.up, KEYS.escape);
    await waitForEditor(terminal, '/|');
    expect(server.requests).toEqual([]);
  });
});

test('images dropped onto the terminal go with the message', async () => {
  await withTalkOnScreen([], async ({ terminal, server, folder }) => {
    await terminal.waitFor('Commands: /help');
    const path = join(folder, 'my shot.png');
    writeFileSync(path, IMAGE);
    terminal.paste(`'${path}' `);
    await terminal.waitFor('my shot.png"');
    terminal.type('what is it?', KEYS.enter);
    await terminal.waitFor('Hello.');
    const sent = JSON.stringify(server.requests[0]?.body.messages);
    expect(sent).toContain('"type":"image"');
    expect(sent).toContain(`@\\"${path}\\" what is it?`);
  });
});
