import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { breaking, say } from '../../../support/model/script.js';
import { KEY } from '../../../support/model_server.js';
import { KEYS } from '../../../support/terminal.js';
import { withTalkOnScreen } from '../screen/screen_talk.js';
import { after, withTalk } from './talk.js';

test('a question of the model is shown, and /answer gives it an option by its number or in words', async () => {
  await withTalk(async ({ server, chat }) => {
    const which = (id: string, options: string[]) => call(id, 'ask_user', { question: 'Which way?', options });
    server.script(say(words('Hm.'), which('c1', ['left', 'right'])), say(which('c2', [])), say(words('So be it.')));
    const { stdout, stderr, code } = await chat(
      ['/answer left', 'plan it', '/answer', '/answer 2', '/answer 3', '/answer again'],
      ...['--level', 'plan'],
    );
    expect(stderr).toContain('nothing is asked here');
    expect(stdout).toContain('It asks:\nWhich way?\n  1  left\n  2  right\n');
    expect(stderr).toContain('it asks: Which way?');
    expect(after(stdout, '/answer 2')).toContain('It asks:\nWhich way?\n');
    expect(after(stdout, '/answer 3')).toContain('So be it.');
    const sent = server.requests.map(({ text }) => text);
    expect(sent[1]).toContain('right');
    expect(sent[2]).toContain('"3"');
    expect(code).toBe(3);
  });
});

test('a chat comes along with the turn of an ask that was killed', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home, folder, another }) => {
    await terminal.waitFor('Commands: /help');
    server.script(breaking('hang', words('Half of it\n\nand then')));
    const model = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin };
    const env = { PATH: process.env.PATH ?? '', HOME: userHomeBeside(folder), COGNITION_HOME: home, ...model };
    const saved = followingSaved(home);
    const ask = spawn(process.execPath, [PROGRAM, 'ask', 'begin', '--model', 'sonnet'], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    const gone = once(ask, 'close');
    await Promise.all([saved, server.hanging()]);
    ask.kill('SIGKILL');
    await gone;
    await another(['@'], async (second) => {
      await second.waitFor('you come along with it');
      await second.waitFor('Half of it');
      second.type(KEYS.escape);
      await second.waitFor('Interrupted.');
    });
  });
});

/** Resolves when the session file says that somebody comes along with a turn. */
async function followingSaved(home: string): Promise<void> {
  for await (const { filename } of watch(home)) {
    if (filename === 'session.json' && readFileSync(join(home, filename), 'utf8').includes('following')) return;
  }
}
