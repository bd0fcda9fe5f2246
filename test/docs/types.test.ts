import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The compiler takes ten seconds of a processor, twice. */
const COMPILE_MS_MAX = 300_000;
const root = fileURLToPath(new URL('../..', import.meta.url));

test(
  'npm start leaves the types of the library as a build does, so that a linked program compiles',
  () => {
    rmSync(join(root, 'dist', 'types'), { recursive: true, force: true });
    expect(spawnSync('npm', ['start', '--silent', '--', '--version'], { cwd: root, stdio: 'ignore' }).status).toBe(0);
    const folder = mkdtempSync(join(tmpdir(), 'cognition-linked-'));
    try {
      mkdirSync(join(folder, 'node_modules'));
      symlinkSync(root, join(folder, 'node_modules', 'cognition')); // as npm link does
      const right = "import { connect, HubError } from 'cognition';\nconst client = await connect();\n";
      const uses = "const { trees } = await client.call('loom.tree_list', {});\nexport const x = [trees, HubError];\n";
      writeFileSync(join(folder, 'right.mts'), right + uses);
      writeFileSync(join(folder, 'wrong.mts'), `${right}await client.call('loom.tree_lisp', {});\n`);
      const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
      const given = [tsc, ...options, '--typeRoots', join(root, 'node_modules', '@types')];
      const { stdout } = spawnSync(process.execPath, [...given, 'right.mts', 'wrong.mts'], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(stdout.match(/^\w+\.mts.*?: error/gm)).toEqual(['wrong.mts(3,19): error']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  COMPILE_MS_MAX,
);

test(
  'types whose making is killed are as they were, and the next making leaves nothing of it',
  async () => {
    const maker = spawn(process.execPath, [join(root, '.dev', 'types.mjs')], { stdio: 'ignore' });
    const part = join(root, 'dist', `types.${maker.pid}`);
    while (!existsSync(part)) await new Promise((resolve) => setImmediate(resolve));
    maker.kill('SIGKILL');
    await once(maker, 'exit');
    expect([existsSync(part), existsSync(join(root, 'dist', 'types', 'hub', 'client', 'client.d.ts'))]).toEqual([
      true,
      true,
    ]);
    expect(spawnSync(process.execPath, [join(root, '.dev', 'types.mjs')]).status).toBe(0);
    expect([existsSync(part), existsSync(join(root, 'dist', 'types'))]).toEqual([false, true]);
  },
  COMPILE_MS_MAX,
);
