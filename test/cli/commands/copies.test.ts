import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from '../../../hub/client/client.js';
import { NodeId, TreeId, TurnId } from '../../../hub/protocol/node.js';
import { withCli } from '../../support/cli.js';
import { connectTo } from '../../support/hub.js';

/** A project whose tests use packages, write into their cache, and say whether a secret is there. */
function makeProject(folder: string): void {
  const files: Record<string, string> = {
    '.gitignore': 'node_modules\n.env\n',
    '.env': 'SECRET=1\n',
    'package.json': '{"name":"p","scripts":{"test":"node test.js"}}',
    'node_modules/dep/index.js': 'module.exports = 1;',
    'packages/a/node_modules/inner/index.js': 'module.exports = 2;',
    'packages/a/index.js': 'module.exports = require("inner");',
    'test.js': `const fs = require('fs');
      if (require('dep') + require('./packages/a') !== 3) process.exit(2);
      if (fs.existsSync('.env')) process.exit(3);
      fs.mkdirSync('node_modules/.cache', { recursive: true });
      fs.writeFileSync('node_modules/.cache/made', 'x');
      fs.appendFileSync('node_modules/dep/index.js', '// changed');`,
  };
  mkdirSync(join(folder, '.git'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  symlinkSync('../dep/index.js', join(folder, 'node_modules/linked'));
}

test('a check of a lane uses installed packages, also inner ones, and may write there: those of the person stay as they are', () =>
  withCli(async ({ folder, run }) => {
    makeProject(folder);
    const race = await run(['race', 'demo: say Hello.', '--with', 'demo', '--check', 'npm test']);
    expect(race).toMatchObject({ code: 0, stdout: expect.stringContaining('check ok') });
    expect(race.stderr).not.toContain('node_modules');
    expect(readFileSync(join(folder, 'node_modules/dep/index.js'), 'utf8')).toBe('module.exports = 1;');
    expect(readdirSync(join(folder, 'node_modules')).sort()).toEqual(['dep', 'linked']);
    expect(await run(['pick', '1'])).toMatchObject({ code: 0, stdout: '' });
    expect(readdirSync(join(folder, 'node_modules')).sort()).toEqual(['dep', 'linked']);
  }));

test('packages that are too large are shown read-only, inner ones are not there, and both are told', () =>
  withCli(async ({ folder, run }) => {
    makeProject(folder);
    for (const name of ['node_modules/large', 'packages/a/node_modules/large']) {
      writeFileSync(join(folder, name), '');
      truncateSync(join(folder, name), 400_000_000);
    }
    const check = 'node -e "require(\'dep\')" && ! touch node_modules/x && ! test -e packages/a/node_modules';
    const race = await run(['race', 'demo: say Hello.', '--with', 'demo×2', '--check', check]);
    expect(race).toMatchObject({ code: 0, stdout: expect.stringMatching(/1\. .* check ok .*\n2\. .* check ok /) });
    const told = race.stderr.split('\n').filter((line) => line.includes('node_modules'));
    expect(told.sort()).toEqual([
      'node_modules is read-only in the copy: packages over 20,000 files or 300 MB are not copied',
      'packages/a/node_modules is not in the copy: packages over 20,000 files or 300 MB are not copied',
    ]);
    expect(existsSync(join(folder, 'node_modules/x'))).toBe(false);
  }));

/** Makes copies of a folder for turns that never begin. */
async function copiesIn(home: string, folder: string) {
  const client: Client = await connectTo(home);
  const tree = TreeId.parse((await client.call('loom.tree_create', { name: 'work' })).id);
  const make = (turn: TurnId) =>
    client.call('files.copy_make', { project: folder, tree, node: NodeId.parse(tree), turn, label: 'lane' });
  return { client, make, newTurn: () => TurnId.parse(randomUUID()) };
}

test(
  'a project has 24 copies at most: one more is refused with what to do, and goes when one is removed',
  () =>
    withCli(async ({ home, folder, run, print }) => {
      writeFileSync(join(folder, 'a.txt'), 'a');
      const { client, make, newTurn } = await copiesIn(home, folder);
      const first = newTurn();
      await make(first);
      for (let count = 1; count < 24; count += 1) await make(newTurn());
      await expect(make(newTurn())).rejects.toThrow(`there are 24 copies of ${folder} already`);
      await client.call('files.copy_remove', { turn: first });
      await make(newTurn());
      expect((await run(['ask', 'demo: say Hello.', '--own', '--model', 'demo'])).stderr).toContain(
        'files copies --remove',
      );
      expect(await print('files', 'copies', '--remove', 'all')).toBe('Removed 24 copies.\n');
      await make(newTurn());
      await client.close();
    }),
  180_000,
);

test('the copies of a project have 20 GiB at most on the disk', () =>
  withCli(async ({ home, folder }) => {
    writeFileSync(join(folder, 'a.txt'), 'a');
    const { client, make, newTurn } = await copiesIn(home, folder);
    const turn = newTurn();
    await make(turn);
    const [store = ''] = readdirSync(join(home, 'files'));
    const large = join(home, 'files', store, 'copies', turn, 'made');
    writeFileSync(large, '');
    truncateSync(large, 20 * 1024 ** 3);
    await expect(make(newTurn())).rejects.toThrow(`there are copies of ${folder} with 20 GiB already`);
    rmSync(large);
    expect(await make(newTurn())).toEqual({ files: 1, told: [] });
    await client.close();
  }));
