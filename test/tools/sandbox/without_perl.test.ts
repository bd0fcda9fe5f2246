import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { expect, test } from 'vitest';
import { withFolder } from '../../support/hub.js';
import { tries } from '../../support/mounts.js';

const SANDBOX = new URL('../../../tools/sandbox/forms/sandbox.ts', import.meta.url).pathname;
const MASKED = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/perl'];
const canMask = tries('bwrap', [...MASKED, 'unshare', '--user', '--map-root-user', '--mount', 'true']);

/** Tells the report, and what a command inside says. */
const DRIVER = `
import { spawnSync } from 'node:child_process';
import { findSandbox } from ${JSON.stringify(SANDBOX)};
const [folder] = process.argv.slice(2);
const at = (name) => folder + '/' + name;
const machine = { userHome: at('home'), cognitionHome: at('home/kept'), commands: at('home/kept/commands'), path: '' };
const sandbox = findSandbox({ machine, log: () => undefined }, { only: 'util-linux' });
const report = await sandbox.report();
const policy = { kind: 'contained', network: false, writable: [at('project')], readable: null };
const command = 'pwd; echo x >made && cat made; echo evil >.git/config || echo held; kill -9 $$';
const wrapped = await sandbox.wrap({ program: 'bash', arguments: ['-c', command], policy, cwd: at('project'), tmp: at('tmp') });
const { status, stdout } = spawnSync(wrapped.program, wrapped.arguments, { encoding: 'utf8' });
wrapped.release();
console.log(JSON.stringify({ kind: report.kind, problem: report.problem, status, stdout }));
`;

test.runIf(canMask)('without perl the programs of util-linux do the same, without the filter, and that is told', () =>
  withFolder(async (given) => {
    const folder = realpathSync(given);
    for (const name of ['project', 'home/kept', 'tmp']) mkdirSync(join(folder, name), { recursive: true });
    const outfile = join(folder, 'driver.mjs');
    esbuild.buildSync({
      ...{ stdin: { contents: DRIVER, resolveDir: '/', loader: 'js' }, outfile, bundle: true },
      ...{ platform: 'node', format: 'esm', logLevel: 'warning', define: { COGNITION_VERSION: '"test"' } },
    });
    const { stdout, stderr } = spawnSync('bwrap', [...MASKED, process.execPath, outfile, folder], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      kind: 'util-linux',
      problem: expect.stringContaining('util-linux without perl is used'),
      status: 137,
      stdout: `${folder}/project\nx\nheld\n`,
    });
  }),
);
