import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, realpathSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as esbuild from 'esbuild';
import { expect, test } from 'vitest';
import { withFolder } from '../support/hub.js';
import { type ModelGit, openModelGit } from '../tools/private_git/open_model_git.js';
import { KINDS } from '../tools/sandbox/contained.js';
import { extent, randomFrom } from './extent.js';

const DRIVER = new URL('take_over_driver.ts', import.meta.url).pathname;
const { seed, count } = extent(6);
const random = randomFrom(seed);
/** About how long the person's repository is being changed. */
const WRITING_MS = 60;

/** When to kill: so long after the beginning, or after the journal was written. */
interface Moment {
  afterMs: number;
  journal?: string;
}

/** The first time it runs to its end; then it is killed, every other time while it writes. */
function momentOf(round: number, { usualMs, folder }: { usualMs: number; folder: string }): Moment | null {
  if (round === 0) return null;
  if (round % 2 === 0) return { afterMs: random() * usualMs };
  const kept = join(folder, 'home/kept/git');
  return { afterMs: random() * WRITING_MS, journal: join(kept, readdirSync(kept)[0] ?? '') };
}

async function runDriver(driver: string, given: readonly string[], moment: Moment | null): Promise<number> {
  const child = spawn(process.execPath, [driver, ...given], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.resume();
  const startedMs = performance.now();
  if (moment !== null) {
    if (moment.journal !== undefined) await Promise.race([written(moment.journal), ended]);
    await Promise.race([wait(moment.afterMs), ended]);
    child.kill('SIGKILL');
  }
  await ended;
  return performance.now() - startedMs;
}

/** Resolves when a journal is written in a folder. */
function written(folder: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, (_event, name) => {
      if (name !== 'journal.json') return;
      watcher.close();
      resolve();
    });
  });
}

/** The commit that the person is on, whether they see anything changed, and what is left of locks. */
function seen({ person, project }: ModelGit): { commit: string; changes: string; locks: string[] } {
  const locks = readdirSync(join(project, '.git')).filter((name) => /lock|cognition/.test(name));
  return { commit: person('rev-parse', 'HEAD').trim(), changes: person('status', '--porcelain'), locks };
}

for (const kind of KINDS) {
  test(`a take over in ${kind} that is killed at any moment is ended or taken back`, { timeout: 600_000 }, () =>
    withFolder(async (given) => {
      const driver = join(given, 'driver.mjs');
      esbuild.buildSync({
        ...{ entryPoints: [DRIVER], outfile: driver, bundle: true, platform: 'node', format: 'esm' },
        ...{ logLevel: 'warning', define: { COGNITION_VERSION: '"test"' } },
      });
      const folder = join(realpathSync(given), 'world');
      const world = openModelGit(folder, kind);
      const { model, person, write, take } = world;
      person('init', '-q', '-b', 'main');
      write('file', 'one\n');
      person('add', '.');
      person('commit', '-qm', 'first');
      let usualMs = 0;
      let killed = 0;
      for (let round = 0; round <= count; round += 1) {
        const before = person('rev-parse', 'HEAD').trim();
        const made = await model(
          `echo ${round} >>file; git commit -qam ${round}; git switch -q ${round % 3 === 0 ? `-c b${round}` : '-'} || :; git rev-parse HEAD`,
        );
        const spentMs = await runDriver(driver, [folder, kind], momentOf(round, { usualMs, folder }));
        if (round === 0) usualMs = spentMs;
        killed += Number(person('rev-parse', 'HEAD').trim() === before);
        await take();
        expect({ round, ...seen(world) }).toEqual({
          round,
          commit: made.trim(),
          changes: '',
          locks: [],
        });
      }
      expect(person('fsck', '--strict', '--no-dangling')).toBe('');
      console.log(`${kind}: tried ${count}, of which ${killed} were killed before they were done, failed 0`);
    }),
  );
}
