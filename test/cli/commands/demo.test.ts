import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { PROGRAM, userHomeBeside, withCli } from '../../support/cli.js';
import { withTerminal } from '../../support/terminal.js';
import { inShell, startProgram } from '../shell.js';

const Demo = z.object({
  tree: z.string(),
  position: z.string(),
  project: z.string(),
  tips: z.tuple([z.string(), z.string()]),
});

/** Ids told apart only by their order. */
function settled(text: string, home: string): string {
  const seen: string[] = [];
  const timeless = lastBoards(text)
    .replaceAll(`${home}-demo`, '<folder>')
    .replace(/[\d,]+ tokens +\d+ s$/gm, '<n> tokens  <n> s');
  return timeless.replace(/\b[0-9a-f]{8}\b/g, (id) => {
    if (!seen.includes(id)) seen.push(id);
    return `<${seen.indexOf(id) + 1}>`;
  });
}

/** Of a board that was drawn anew in its place only what it has shown last. */
function lastBoards(text: string): string {
  const pieces = text.split('\x1b[2A\x1b[J');
  return pieces
    .map((piece, at) => (at < pieces.length - 1 ? piece.replace(/(?:\d\. demo\/.*\n)+$/, '') : piece))
    .join('');
}

const TRANSCRIPT = `This is a demo. Its model is no AI, only a few rules:
it needs no key, and nothing leaves this machine.

> list the python files in src/

[bash] ls src/*.py

I found 2 Python files:

- src/main.py
- src/utils.py

(I am the demo model: no AI, only a few rules, and nothing leaves this machine. Say "help" to see what I can do.)

Now two models race, each in a copy of the folder. \`sh hello-demo.sh\` tells whose program runs.

> write a program

1. demo/hasty    done  check 2   1 file  +3 -0  <n> tokens  <n> s
2. demo/careful  done  check ok  1 file  +3 -0  <n> tokens  <n> s

The second one is taken into the folder. The other stays as a branch.

> change the program

[edit] hello-demo.sh

[bash] sh hello-demo.sh

hello-demo.sh is changed, and says:

\`\`\`
One line more.
Hello, tree!
\`\`\`

Now back before that change, to say something else: that is a fork, and the files come along.

> how many lines has hello-demo.sh?

[bash] wc -l hello-demo.sh

wc -l hello-demo.sh says:

\`\`\`
3 hello-demo.sh
\`\`\`

This is what the conversation has become, a tree:

(root)
 User: list the python files in src/
 [bash:ls src/*.py]
 Assistant: I found 2 Python files: - src/main.py - src/utils.py (I am the demo model: no AI, only…
 User: write a program
 ├── Assistant: I write it.
 │   [write:hello-demo.sh]
 │   Assistant: hello-demo.sh is written. I am sure that it works.
 │   [bash:sh hello-demo.sh] exit 2
 Assistant: I write it.
 [write:hello-demo.sh]
 Assistant: Now I try it.
 [bash:sh hello-demo.sh]
 Assistant: hello-demo.sh is written, and says: \`\`\` Hello, tree! \`\`\` Say \`change the program\` to…
 [bash:sh hello-demo.sh]
 ├── User: change the program
 │   [edit:hello-demo.sh]
 │   [bash:sh hello-demo.sh]
 │   Assistant: hello-demo.sh is changed, and says: \`\`\` One line more. Hello, tree! \`\`\`
 User: how many lines has hello-demo.sh?
 [bash:wc -l hello-demo.sh]
 Assistant: wc -l hello-demo.sh says: \`\`\` 3 hello-demo.sh \`\`\`          ● you are here

The conversation stays, all branches of it. Now you can
  talk on; say "help"   cognition chat <1> --there
  draw it again         cognition show <1>
  read where you are    cognition context <1>
  compare the branches  cognition compare <1> <2> <3>
  ask one thing more    cognition ask <1> "list the files" --there
  hide it               cognition delete <1>

Its folder: <folder>
A real model needs ANTHROPIC_API_KEY or OPENAI_API_KEY or GEMINI_API_KEY, and then:
  cognition ask "what does this project do?"
`;

test('the demo races, takes the good one, forks with its files, and draws the tree', async () => {
  await withCli(async ({ run, home }) => {
    const { code, stdout, stderr } = await run(['demo']);
    expect({ code, stderr, shown: settled(stdout, realpathSync(home)) }).toEqual({
      code: 0,
      stderr: '',
      shown: TRANSCRIPT,
    });
  });
});

test('what the demo says that one can do works, also after a second demo and in another folder', async () => {
  await withCli(async (cli) => {
    await cli.print('demo');
    const shown = await cli.print('demo');
    const lines = shown.split('\n').flatMap((line) => /^ {2}\w.* {2}(cognition .*)$/.exec(line)?.[1] ?? []);
    expect(lines).toHaveLength(6);
    const printed: string[] = [];
    for (const line of lines) {
      const { code, stdout, stderr } = await inShell(cli, line);
      expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
      printed.push(stdout);
    }
    expect(printed[0]).toContain('> how many lines has hello-demo.sh?');
    expect(printed[1]).toContain('● you are here');
    expect(printed[3]).toMatch(/change the program.*how many lines has hello-demo/s);
    expect(printed[4]).toMatch(/I found 2 files:\s+- hello-demo\.sh\s+- src/);
    expect(await cli.json('list')).toHaveLength(1);
  });
});

test('the demo becomes the current conversation only when there is none', async () => {
  await withCli(async ({ json, print, home }) => {
    const demo = Demo.parse(await json('demo'));
    expect(demo).toMatchObject({ project: `${realpathSync(home)}-demo`, position: demo.tips[1] });
    expect(await json('show')).toMatchObject({
      tree: { id: demo.tree, project: demo.project },
      position: demo.position,
    });
    await print('demo');
    expect(await json('show')).toMatchObject({ tree: { id: demo.tree } });
  });
});

test('the folder of the demo keeps changes, and a foreign folder in its place is reported', async () => {
  await withCli(async ({ print, run, home }) => {
    mkdirSync(`${home}-demo/src`, { recursive: true });
    writeFileSync(`${home}-demo/src/main.py`, 'print("mine")\n');
    await print('demo');
    expect(readFileSync(`${home}-demo/src/main.py`, 'utf8')).toBe('print("mine")\n');
    const other = `${home}2`;
    writeFileSync(`${other}-demo`, 'a file');
    const { code, stderr } = await run(['demo'], { env: { COGNITION_HOME: other } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `cognition: the folder of the demo, ${other}-demo, cannot be used: it is no folder of your own\n` +
        'hint: move away what is there, or set COGNITION_HOME to another folder\n',
    });
    await run(['hub', 'stop'], { env: { COGNITION_HOME: other } });
    // As a model leaves it that worked there.
    rmSync(`${home}-demo/src`, { recursive: true });
    mkdirSync(`${home}-victim`);
    symlinkSync(`${home}-victim`, `${home}-demo/src`);
    expect(await run(['demo'])).toMatchObject({ code: 1, stderr: expect.stringContaining('no folder of your own') });
    expect(readdirSync(`${home}-victim`)).toEqual([]);
  });
});

test('Ctrl-C ends the command that runs, keeps what there is, and a demo works afterwards', async () => {
  await withCli(async (cli) => {
    const bin = `${cli.home}-demo/bin`;
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'ls'), '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
    const demo = startProgram(cli, ['demo'], { PATH: `${bin}:${process.env.PATH ?? ''}` });
    await demo.printed('[bash] ls');
    demo.child.kill('SIGINT');
    const { code, stderr } = await demo.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^Interrupted\. What there is so far: cognition show [0-9a-f]{8}\n$/);
    expect(await cli.print('show')).toContain('[bash:ls src/*.py] killed');
    expect(await cli.print('demo')).toContain('you are here');
    expect(await cli.print('fsck')).toContain('all is well');
  });
});

const isBubblewrapHere = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;

test.runIf(isBubblewrapHere)('where nothing can keep a command in, the demo says so, and can go without', async () => {
  await withCli(async (cli) => {
    const without =
      'bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap --ro-bind /dev/null /usr/bin/unshare --ro-bind /dev/null /usr/bin/perl';
    const program = `${without} "${process.execPath}" "${PROGRAM}"`;
    const ran = await inShell(cli, `${program} demo`);
    expect(ran.code).toBe(8);
    expect(ran.stderr).toMatch(/no sandbox works.*\nhint: .*--no-sandbox\n$/s);
    const open = await inShell(cli, `${program} demo --no-sandbox`);
    expect(open).toMatchObject({ code: 0, stderr: 'UNSANDBOXED: its commands run as in your own shell.\n' });
    expect(existsSync(`${cli.home}-demo/src/main.py`)).toBe(true);
  });
});

const isScriptHere = spawnSync('script', ['--version']).status === 0;

test.runIf(isScriptHere)('on a terminal the demo shows the same, at a pace that a person can follow', async () => {
  await withCli(async (cli) => {
    const { stdout } = await inShell(
      cli,
      "script -qec 'stty cols 100; cognition demo --color never' /dev/null < /dev/null",
    );
    expect(settled(stdout.replaceAll('\r\n', '\n'), realpathSync(cli.home))).toBe(TRANSCRIPT);
  });
});

test('the first example of the README is what the demo shows on a terminal of 80 × 24', () =>
  withCli(async ({ home, folder }) => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const [, example = ''] = /```console\n(\$ cognition demo\n.*?)```/s.exec(readme) ?? [];
    const start = {
      ...{ command: process.execPath, args: [PROGRAM, 'demo'], cwd: folder, size: { columns: 80, rows: 24 } },
      env: { COGNITION_HOME: home, HOME: userHomeBeside(folder) },
    };
    await withTerminal(start, async (terminal) => {
      await terminal.exited;
      const shown = terminal.transcript().join(' ').replace(/\s+/g, ' ');
      const lines = example.split('\n').map((line) =>
        line
          .replace(/\S+ tokens.*/, '')
          .replace(/\s+/g, ' ')
          .trim(),
      );
      expect(lines.length).toBeGreaterThan(8);
      for (const line of lines.filter((one) => !one.startsWith('$') && one !== '…')) expect(shown).toContain(line);
    });
  }));
