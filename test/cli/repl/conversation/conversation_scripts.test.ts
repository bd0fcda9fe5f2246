import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { breaking, fail, say } from '../../../support/model/script.js';
import { after, bash, withTalk } from './talk.js';

test('a script goes on after what fails, and ends with the exit code of what failed first', async () => {
  await withTalk(async ({ server, chat, notes }) => {
    server.script(fail(401, 'bad key', { type: 'authentication_error' }));
    const refused = await chat(['hello', '/nope', '/tree']);
    expect(after(refused.stdout, '/tree')).toContain(' User: hello');
    expect(refused.code).toBe(5);
    expect(await notes(['/switch ffffffff', '/nope'])).toMatchObject({ code: 3 });
    expect(await notes(['/nope', '/switch ffffffff'])).toMatchObject({ code: 2 });
    server.script({ ...say(words('It was a dark')), end: 'max_tokens' });
    expect(await chat(['write'])).toMatchObject({ code: 7 });
    expect(await chat(['/tree', 'hello', '/leaves'])).toMatchObject({ code: 0 });
  });
});

test('the end of an own command is shown, and is not a failure of the script', async () => {
  await withTalk(async ({ notes }) => {
    const { code, stdout } = await notes(['!exit 3', '!echo it; exit 4', '!true']);
    expect(after(stdout, '!exit 3')).toBe('[bash] exit 3\n(no output)\n(exit code 3)');
    expect(after(stdout, '!echo it; exit 4')).toBe('[bash] echo it; exit 4\nit\n(exit code 4)');
    expect(after(stdout, '!true')).toBe('[bash] true\n(no output)');
    expect(code).toBe(0);
  });
});

test('of what a command writes over it tells the last, in the lines of a script as well', async () => {
  await withTalk(async ({ notes }) => {
    const { stdout } = await notes([
      `!for n in 10 20 30; do printf "$n%%\\r"; sleep 0.02; done; echo; printf 'a\\r\\nb\\rc'`,
    ]);
    expect(stdout).toContain(`'a\\r\\nb\\rc'\n30%\na\nc\n`);
  });
});

test('a question that no line answers ends a script with 8, and one that is answered does not', async () => {
  await withTalk(async ({ server, chat }) => {
    const asking = say(call('q1', 'ask_user', { question: 'Which way?', options: ['left', 'right'] }));
    server.script(asking);
    const open = await chat(['plan it'], '--level', 'plan');
    expect(open.stdout).toContain('Which way?');
    expect(open.code).toBe(8);
    server.script(asking, say(words('So be it.')));
    expect(await chat(['plan it', '/answer 2'], '--level', 'plan')).toMatchObject({ code: 0 });
  });
});

test('/stop in a script does not wait for what it ends: an answer, and a command', async () => {
  await withTalk(async ({ server, chat, notes }) => {
    server.script(breaking('hang'));
    const answer = await chat(['hello', '/stop', '/tree']);
    expect(after(answer.stdout, '/tree')).toContain('User: hello');
    expect(answer.stderr).toContain('Interrupted. Go on with: /retry');
    expect(answer).toMatchObject({ code: 0 });
    const command = await notes(['!sleep 1000', '/stop', '/tree', '/stop']);
    expect(after(command.stdout, '/tree')).toContain('● you are here');
    expect(command.stderr).toContain('Nothing is running.');
    expect(command.code).toBe(0);
  });
});

test('a signal ends a script: what runs is ended in order, and the next lines are left undone', async () => {
  await withTalk(async ({ cli, server, env }) => {
    server.script(bash('c1', 'echo one'), breaking('hang'));
    const surroundings = {
      PATH: process.env.PATH ?? '',
      HOME: userHomeBeside(cli.folder),
      COGNITION_HOME: cli.home,
      ...env,
    };
    const child = spawn(process.execPath, [PROGRAM, 'chat'], { cwd: cli.folder, env: surroundings });
    child.stdin.end('hello\nand more\n');
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    await server.hanging();
    child.kill('SIGINT');
    const [stdout, stderr, [code]] = await ended;
    expect(code).toBe(130);
    expect(stdout).not.toContain('and more');
    expect(stderr).toContain('Interrupted.');
    expect(stdout).toContain('Session saved.');
  });
});

test.each([
  ['SIGINT', 'hello\n'],
  ['SIGINT', 'hello\n/quit\n'],
  ['SIGTERM', 'hello\n'],
] as const)('%s ends the script %j while what was said last is answered', async (signal, script) => {
  await withTalk(async ({ cli, server, env }) => {
    server.script(breaking('hang'));
    const surroundings = {
      PATH: process.env.PATH ?? '',
      HOME: userHomeBeside(cli.folder),
      COGNITION_HOME: cli.home,
      ...env,
    };
    const child = spawn(process.execPath, [PROGRAM, 'chat'], { cwd: cli.folder, env: surroundings });
    child.stdin.end(script);
    const ended = Promise.all([text(child.stdout), once(child, 'close')]);
    await server.hanging();
    child.kill(signal);
    const [stdout, [code]] = await ended;
    expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(stdout).toContain('Session saved.');
  });
});
