import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM, type TestCli, withCli } from '../../support/cli.js';
import { inShell } from '../shell.js';

/** Everything as it is, but for the two programs that a sandbox is made with. */
const WITHOUT =
  'bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap --ro-bind /dev/null /usr/bin/unshare --ro-bind /dev/null /usr/bin/perl';
const isBubblewrapHere = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;
const isScriptHere = spawnSync('script', ['--version']).status === 0;

function withTree(use: (cli: TestCli) => Promise<void>): Promise<void> {
  return withCli(async (cli) => {
    spawnSync('git', ['init', '-q', cli.folder]);
    mkdirSync(join(cli.folder, 'deep'));
    writeFileSync(join(cli.folder, '..', 'beside'), 'beside\n');
    await use(cli);
  });
}

test.runIf(isBubblewrapHere)('a command that is kept in changes the project and nothing else', async () => {
  await withTree(async ({ folder, run, print }) => {
    await print('new', 'notes');
    const command = 'echo in > made; cat ../beside; echo out > ../beside; echo $SECRET; echo kept > /tmp/kept';
    const ran = await run(['exec', '@', command, '--sandbox'], { env: { SECRET: 'not to be seen' } });
    expect(ran).toEqual({ code: 0, stdout: '\n', stderr: 'cat: ../beside: No such file or directory\n' });
    expect(readFileSync(join(folder, '..', 'beside'), 'utf8')).toBe('beside\n');
    expect(existsSync(join(folder, 'made'))).toBe(true);
    expect(await print('exec', '@', 'cat /tmp/kept', '--sandbox')).toBe('kept\n');
    expect(existsSync('/tmp/kept')).toBe(false);
    // All of the project, also from a folder in it.
    expect(await print('exec', '@', 'touch ../again && echo done', '--sandbox', '--cwd', 'deep')).toBe('done\n');
    expect(existsSync(join(folder, 'again'))).toBe(true);
  });
});

test.runIf(isBubblewrapHere)('what a command that is kept in commits is taken over, and told', async () => {
  await withTree(async ({ folder, run, print }) => {
    await print('new', 'notes');
    const names = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a;';
    const ran = await run([
      'exec',
      '@',
      `${names} git checkout -q -b kept; git commit -q --allow-empty -m one`,
      '--sandbox',
    ]);
    const told = '(1 commit from the model on the new kept)\n(you are on kept now, as the model is)\n';
    expect(ran).toEqual({ code: 0, stdout: '', stderr: told });
    expect(spawnSync('git', ['-C', folder, 'log', '--format=%s'], { encoding: 'utf8' }).stdout).toBe('one\n');
    expect(await print('git', 'status')).toContain('1 commit from the model on the new kept');
    expect(await print('git', 'undo')).toContain('undone: 1 commit');
    expect(await print('git', 'take', 'kept')).toBe("taken: the model's kept\n");
    expect((await run(['git', 'take', 'nothing'])).stderr).toMatch(/nothing of the model is kept for "nothing"/);
  });
});

test.runIf(isBubblewrapHere)('the network is off inside, and on with --net', async () => {
  await withTree(async ({ run, print }) => {
    await print('new', 'notes');
    const interfaces = 'grep -c : /proc/net/dev';
    const outside = await print('exec', '@', interfaces);
    expect(await print('exec', '@', interfaces, '--sandbox', '--net')).toBe(outside);
    expect(await print('exec', '@', interfaces, '--sandbox')).toBe('1\n');
    expect((await run(['exec', '@', ': < /dev/tcp/127.0.0.1/9', '--sandbox'])).code).not.toBe(0);
  });
});

test.runIf(isBubblewrapHere)('where nothing can keep a command in, it is not run without being asked', async () => {
  await withTree(async (cli) => {
    const program = `${WITHOUT} "${process.execPath}" "${PROGRAM}"`;
    const ran = await inShell(cli, `${program} new notes > new.txt 2>&1; ${program} exec @ "touch ran" --sandbox`);
    expect(ran).toMatchObject({ code: 8, stdout: '' });
    expect(ran.stderr).toMatch(/^cognition: no sandbox works here: .*\nhint: /);
    expect(await inShell(cli, `${program} exec @ "touch ran" --sandbox --json`)).toMatchObject({
      ...{ code: 8, stdout: '', stderr: expect.stringMatching(/^\{"error":\{"kind":"approval_needed".*\}\n$/) },
    });
    expect(existsSync(join(cli.folder, 'ran'))).toBe(false);
    expect((await inShell(cli, `${program} doctor`)).stdout).toMatch(/^warn +sandbox +none works here; .*\n +fix: /m);
  });
});

test.runIf(isBubblewrapHere && isScriptHere).each([
  ['y', 0, true],
  ['n', 8, false],
  ['', 8, false],
])('on a terminal the answer %j decides', async (answer, code, isRun) => {
  await withTree(async (cli) => {
    await cli.print('new', 'notes');
    await cli.print('hub', 'stop');
    const program = `${WITHOUT} '${process.execPath}' '${PROGRAM}'`;
    const line = `${program} exec @ 'touch ran' --sandbox`;
    const ran = await inShell(cli, `echo ${answer} | script -qec "${line}" /dev/null`);
    expect(ran.code).toBe(code);
    expect(ran.stdout).toContain('Run it UNSANDBOXED? [y/N]');
    expect(existsSync(join(cli.folder, 'ran'))).toBe(isRun);
  });
});
