import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Node } from '../../../hub/protocol/node.js';
import { type TestCli, withCli } from '../../support/cli.js';
import { inShell } from '../shell.js';

const Printed = z.object({ branched: z.boolean() }).and(Node);
const Skeleton = z.object({ position: z.string().nullable(), nodes: z.array(z.object({ id: z.string() })) });

/** A conversation of its own for each test. */
function withTree(use: (cli: TestCli) => Promise<void>): Promise<void> {
  return withCli(async (cli) => {
    await cli.print('new', 'notes');
    await use(cli);
  });
}

test('what a command prints comes out as it is, its code is the exit code, and one stands at its node', async () => {
  await withTree(async ({ run, print, json }) => {
    const ran = await run(['exec', '@', 'echo out; echo err >&2; exit 3']);
    expect(ran).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' });
    expect(await print('show')).toBe('(root)\n [bash:echo out; echo err >&2; exit 3] exit 3          ● you are here\n');
    const { position, nodes } = Skeleton.parse(await json('show'));
    expect(nodes.at(-1)?.id).toBe(position);
  });
});

test('bytes of every kind arrive unchanged, and are kept so', async () => {
  await withTree(async (cli) => {
    const { folder } = cli;
    const bytes = Buffer.from([...Array(256).keys(), ...Array(256).keys()]);
    writeFileSync(join(folder, 'bytes'), Buffer.concat(Array(2_000).fill(bytes)));
    const ran = await inShell(
      cli,
      'cognition exec @ "cat bytes; cat bytes >&2" > out 2> err; cognition output @ > kept',
    );
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(folder, 'kept'))).toHaveLength(2 * 2_000 * bytes.length);
    for (const name of ['out', 'err']) {
      expect(readFileSync(join(folder, name)).equals(readFileSync(join(folder, 'bytes')))).toBe(true);
    }
  });
});

test('a command runs in the folder where the one before it on the branch ended, and a note names another folder', async () => {
  await withTree(async ({ folder, run, print }) => {
    mkdirSync(join(folder, 'deep', 'er'), { recursive: true });
    expect(await print('exec', '@', 'pwd')).toBe(`${folder}\n`);
    await print('mark', '@', 'above');
    await print('exec', '@', 'cd deep/er');
    expect(await run(['exec', '@', 'pwd'])).toEqual({
      ...{ code: 0, stdout: `${folder}/deep/er\n`, stderr: `(in ${folder}/deep/er)\n` },
    });
    const beside = await run(['exec', '@', 'pwd', '--at', 'above']);
    expect(beside).toMatchObject({ code: 0, stdout: `${folder}\n` });
    expect(beside.stderr).toMatch(/^Added [0-9a-f]{8}, a new branch\n$/);
    expect(await print('exec', '@', 'pwd', '--cwd', 'deep')).toBe(`${folder}/deep\n`);
    expect(await run(['exec', '@', 'pwd', '--cwd', 'nowhere'])).toMatchObject({
      ...{ code: 3, stderr: expect.stringContaining(`${folder}/nowhere`) },
    });
  });
});

test('a command has the environment of its client, also when two use one tree at once', async () => {
  await withTree(async ({ run }) => {
    const names = ['one', 'two', 'three', 'four'];
    const ran = await Promise.all(
      names.map((name) => run(['exec', 'notes', 'echo $WHO', '--at', 'root'], { env: { WHO: name } })),
    );
    expect(ran.map(({ stdout }) => stdout)).toEqual(names.map((name) => `${name}\n`));
  });
});

test('what a command exports is there for the next on its branch', async () => {
  await withTree(async ({ print }) => {
    await print('exec', '@', 'export WHO=me');
    expect(await print('exec', '@', 'echo $WHO')).toBe('me\n');
    expect(await print('exec', '@', 'echo $WHO', '--at', 'root')).toBe('\n');
  });
});

test('what a command defines is there for the next on its branch, and not with --reset', async () => {
  await withTree(async ({ print, run }) => {
    await print('exec', '@', 'greet() { echo hello; }; alias ll="echo listed"; export WHO=me');
    expect(await print('exec', '@', 'greet; ll you')).toBe('hello\nlisted you\n');
    expect((await run(['exec', '@', 'greet; echo "<$WHO>"', '--reset'])).stdout).toBe('<>\n');
    expect((await run(['exec', '@', 'greet'])).code).toBe(127);
  });
});

test.each([
  ['no-such-command', 127, /no-such-command/],
  ['kill -9 $$', 137, /^\(ended by SIGKILL\)\n$/],
  ['kill -TERM $$', 143, /^\(ended by SIGTERM\)\n$/],
  ['exit 255', 255, /^$/],
])('%s exits as it does in a shell', async (line, code, stderr) => {
  await withTree(async ({ run }) => {
    const ran = await run(['exec', '@', line]);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: '' });
    expect(ran.stderr).toMatch(stderr);
  });
});

test('a command that takes too long is ended, and a note says so', async () => {
  await withTree(async ({ run, print }) => {
    const ran = await run(['exec', '@', 'echo begun; sleep 60', '--timeout', '0.5']);
    expect(ran).toMatchObject({ code: 143, stdout: 'begun\n', stderr: '(timed out after 500 ms)\n' });
    expect(await print('show')).toContain('[bash:echo begun; sleep 60] ');
  });
});

test('with --json the node is all that is printed', async () => {
  await withTree(async ({ run }) => {
    const ran = await run(['exec', '@', 'echo out; echo err >&2; exit 4', '--json']);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 4, stderr: '' });
    expect(Printed.parse(JSON.parse(ran.stdout))).toMatchObject({
      ...{ branched: false, external: { exit_code: 4, handle: { source: 'bash' } } },
    });
  });
});

test('standard input is empty, so that nothing waits for it', async () => {
  await withTree(async ({ run }) => {
    expect(await run(['exec', '@', 'cat; echo end'], { input: 'not read' })).toMatchObject({ stdout: 'end\n' });
  });
});

test.each([
  [['exec', '@', '  '], 'the command is empty'],
  [['exec', '@', 'ls', '--net'], '--net needs --sandbox'],
  [['exec', '@', 'ls', '--timeout', '0'], '--timeout takes seconds'],
  [['exec', '@', 'ls', '--timeout', 'soon'], '--timeout takes seconds'],
  [['exec', '@', 'ls', '-la'], 'put a command or message in quotes'],
  [['exec', '@', 'ls', 'src'], 'put quotes around'],
  [['exec', '@'], 'missing required argument'],
])('%j is refused with a hint', async (words, said) => {
  await withTree(async ({ run }) => {
    const ran = await run(words);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(said);
  });
});

test('a reader that is slow slows the command down', async () => {
  await withTree(async (cli) => {
    const { folder } = cli;
    // The reader looks whether the command has come to its end before it has read anything.
    const command = 'head -c 20000000 /dev/zero; touch done';
    const ran = await inShell(cli, `cognition exec @ "${command}" | { head -c 1 > copy; ls; cat >> copy; }`);
    expect(ran).toEqual({ code: 0, stdout: 'copy\n', stderr: '' });
    expect(existsSync(join(folder, 'done'))).toBe(true);
    expect(readFileSync(join(folder, 'copy'))).toHaveLength(20_000_000);
  });
});

test('a reader that goes away ends the command, and its node says so', async () => {
  await withTree(async (cli) => {
    const ran = await inShell(cli, 'set -o pipefail; cognition exec @ yes | head -1; echo $?');
    expect(ran).toEqual({ code: 0, stdout: 'y\n141\n', stderr: '' });
    expect(await cli.print('context')).toMatch(/\(cancelled\)|SIG(INT|TERM|KILL)/);
    expect(await cli.print('show')).toMatch(/\[bash:yes\] (killed|exit \d+) +● you are here/);
  });
});
