import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM } from '../../../support/cli.js';
import { withHome } from '../../../support/hub.js';
import { errorAfter, fail, say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';
import { idle } from '../screen/screen_talk.js';
import { foreignIn, HOSTILE } from './attack_screen.js';

/** A chat in a folder whose name is hostile, as are its files and what its model says. */
function withHostileFolder<T>(
  use: (place: { terminal: TestTerminal; server: ModelServer; folder: string }) => Promise<T>,
): Promise<T> {
  return withModelServer((server) =>
    withHome(async (home) => {
      const name = NAMEABLE.slice(0, 120);
      const folder = join(dirname(home), 'work', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'AGENTS.md'), HOSTILE);
      writeFileSync(join(folder, `file \u202egpj.exe`), 'x');
      writeFileSync(join(folder, `file\u200d\u200b\u2060`), 'x');
      writeFileSync(join(folder, `file${'😀'.repeat(60)}`), 'x');
      const start = {
        command: process.execPath,
        args: [PROGRAM, 'chat'],
        cwd: folder,
        env: {
          ...{ COGNITION_HOME: home, HOME: dirname(home), TERM_PROGRAM: 'vscode' },
          ...{
            ANTHROPIC_API_KEY: KEY,
            ANTHROPIC_BASE_URL: server.origin,
            COGNITION_MODEL: 'anthropic/claude-sonnet-5',
          },
        },
        reflowsCursorLine: false,
      };
      return withTerminal(start, (terminal) => use({ terminal, server, folder }));
    }),
  );
}

/** What of it a file may be called. */
const NAMEABLE = HOSTILE.replaceAll('\x00', '').replaceAll('/', '');
/** More than there are. */
const BLOCKS = 40;
const COMMANDS = [
  ...['/tree --ids', '/leaves', '/log', '/context --full', '/output', '/search begin', '/agents', '/export'],
  ...['!cat AGENTS.md; cat AGENTS.md >&2', '/branches', '/model', '/list --here', '/cost', '/context --model'],
];

test('nothing of what a model, a server, a command and a folder say reaches the terminal but as text', async () => {
  await withHostileFolder(async ({ terminal, server }) => {
    await terminal.waitFor('Commands: /help');
    server.script(
      fail(529, HOSTILE, { type: 'overloaded_error', headers: { 'retry-after': '0' } }),
      errorAfter('overloaded_error', words(`half ${HOSTILE}`)),
      say(
        { kind: 'thinking', text: HOSTILE },
        words(
          `# ${HOSTILE}\n\n| a | ${HOSTILE} |\n|-|-|\n| b | ${HOSTILE} |\n\n\`\`\`js\n${HOSTILE}\n\`\`\`\n[${HOSTILE}](http://x/${HOSTILE}) **${HOSTILE}**`,
        ),
        call('c1', 'bash', { command: `printf '%s' '${HOSTILE.replaceAll('\x00', '')}'` }),
        call('c2', 'write', {
          path: `new ${NAMEABLE}`.slice(0, 150),
          content: `${HOSTILE}\n${HOSTILE}`,
        }),
        call('c3', HOSTILE.replaceAll(/\s/g, ''), { [HOSTILE]: HOSTILE }),
        call('c4', 'read', { path: 'AGENTS.md' }),
        call('c5', 'spawn_session', { task: HOSTILE }),
      ),
      say(words(`sub ${HOSTILE}`)),
      say(words(`Next ${HOSTILE}`)),
    );
    terminal.type('go', KEYS.enter);
    await terminal.waitFor('Next begin');
    await idle(terminal);
    for (const line of COMMANDS) {
      terminal.type(line, KEYS.enter);
      await terminal.waitFor(() => terminal.transcript().some((row) => row.startsWith(`> ${line}`)));
      await terminal.waitFor(/^> {1,2}Say something/m);
    }
    // All that was done is read again, unfolded, then as a tree with its preview and as what was found.
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    for (let block = 0; block < BLOCKS; block++) terminal.type(KEYS.enter, '[');
    terminal.type('G', '/begin', KEYS.enter, 'n', 'N', KEYS.escape, KEYS.escape);
    await terminal.waitFor(/f filter/);
    for (const keys of ['g', 'j', 'j', 'j', 'j', 'G', 'f', 'f']) terminal.type(keys);
    terminal.type('/begin');
    await terminal.waitFor((rows) => rows.at(-1) === '/begin');
    terminal.type(KEYS.escape, KEYS.escape);
    await terminal.waitFor('[ INSERT ]');
    terminal.type('@file');
    await terminal.waitFor(/file.*exe/);
    expect(foreignIn(terminal.raw())).toEqual([]);
    expect(terminal.modes()).toMatchObject({ alternate: false });
  });
});

test('what a model asks and plans, and what waits, is text as well', async () => {
  await withHostileFolder(async ({ terminal, server }) => {
    await terminal.waitFor('Commands: /help');
    terminal.type('/plan', KEYS.enter);
    await terminal.waitFor('[ Plan ]');
    server.script(
      say(call('c1', 'ask_user', { question: HOSTILE, options: [HOSTILE, `other ${HOSTILE}`] })),
      say(call('c2', 'write', { path: '.cognition/plan.md', content: HOSTILE })),
      say(words('Planned.')),
    );
    terminal.type('go', KEYS.enter);
    await terminal.waitFor('Answer with a number');
    terminal.type('1', KEYS.enter);
    await terminal.waitFor('Planned.');
    await idle(terminal);
    terminal.type('/execute', KEYS.enter);
    await terminal.waitFor('Hello.');
    await idle(terminal);
    terminal.paste(HOSTILE);
    await terminal.waitFor(/> .*begin/);
    expect(foreignIn(terminal.raw())).toEqual([]);
  });
});
