import { execFileSync, spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { expect, test } from 'vitest';
import { withFolder } from '../support/hub.js';
import { canMount, tries } from '../support/mounts.js';
import { families, type Verdict } from './escape/all.js';
import { PERSISTENCE, type PersistenceVerdict } from './escape/all_persistence.js';
import { extent, randomFrom } from './extent.js';

const DRIVER = new URL('escape/driver.ts', import.meta.url).pathname;
const PERSISTENCE_DRIVER = new URL('escape/persistence_driver.ts', import.meta.url).pathname;
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
/** Shared mounts, as on most machines, in a private peer group. */
const SHARED = [
  'unshare',
  '--mount',
  '--propagation',
  'private',
  'sh',
  '-c',
  'mount --make-rshared / && exec "$@"',
  'sh',
];
const isRoot = process.getuid?.() === 0;
const canContain = process.platform === 'linux' && tries('unshare', ['--user', '--map-root-user', '--mount', 'true']);

const { seed, count } = extent(12);
let total = 0;
const random = randomFrom(seed);
const people = isRoot ? [[], NOBODY] : [[]];
const KINDS = ['bubblewrap', 'util-linux'].filter((kind) => kind !== 'bubblewrap' || tries('bwrap', ['--version']));

/** A different share for each form and user, with some of every kind, so that the few that the suite runs cover more. */
function share(): number[] {
  const drawn = families().map(shuffled);
  const rounds = Math.max(...drawn.map(({ length }) => length));
  const inTurns = Array.from({ length: rounds }, (_, round) => drawn.flatMap((numbers) => numbers[round] ?? []));
  return inTurns.flat().slice(0, count);
}

/** A share of the attempts to persist, every time another. */
function persistenceShare(): number[] {
  return shuffled(PERSISTENCE.map((_, number) => number)).slice(0, count);
}

function shuffled(numbers: readonly number[]): number[] {
  const ordered = numbers.map((number) => ({ number, order: random() })).toSorted((a, b) => a.order - b.order);
  return ordered.map(({ number }) => number);
}

/** A driver as one file, for another user as well. */
function built(entry: string, folder: string): string {
  const outfile = join(folder, 'driver.mjs');
  esbuild.buildSync({
    ...{ entryPoints: [entry], outfile, bundle: true },
    ...{ platform: 'node', format: 'esm', logLevel: 'warning', define: { COGNITION_VERSION: '"test"' } },
  });
  return outfile;
}

function judged<V>(driver: string, as: readonly string[], [kind, numbers]: [string, number[]]): Promise<V[]> {
  const [program = '', ...given] = [
    ...(canMount ? SHARED : []),
    ...as,
    process.execPath,
    driver,
    kind,
    numbers.join(','),
  ];
  // Part of the test is what the driver's own environment reveals.
  const child = spawn(program, given, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, SECRET: 'CANARY' },
  });
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () =>
      resolve(
        said
          .trimEnd()
          .split('\n')
          .map((line): V => JSON.parse(line)),
      ),
    );
  });
}

for (const as of people) {
  for (const kind of KINDS) {
    const who = isRoot && as.length === 0 ? 'root' : 'a plain user';
    test.runIf(canContain)(`what gets out without a sandbox is held by ${kind} for ${who}`, { timeout: 600_000 }, () =>
      withFolder(async (folder) => {
        chmodSync(folder, 0o755);
        const numbers = share();
        const verdicts = await judged<Verdict>(built(DRIVER, folder), as, [kind, numbers]);
        expect(verdicts).toHaveLength(numbers.length);
        const tried = verdicts.filter(({ outside }) => outside !== 'not tried');
        expect(tried.filter(({ outside, inside }) => outside !== 'escaped' || inside !== 'held')).toEqual([]);
        total += tried.length;
        console.log(
          `${kind} for ${who}: tried ${tried.length}, escaped 0, not possible here ${verdicts.length - tried.length}`,
        );
      }),
    );
  }
}

for (const as of people) {
  for (const kind of KINDS) {
    const who = isRoot && as.length === 0 ? 'root' : 'a plain user';
    const name = `what a model leaves behind in ${kind} runs as ${who} at no time, or is told of`;
    test.runIf(canContain)(name, { timeout: 600_000 }, () =>
      withFolder(async (folder) => {
        chmodSync(folder, 0o755);
        const numbers = persistenceShare();
        const driver = built(PERSISTENCE_DRIVER, folder);
        const verdicts = await judged<PersistenceVerdict>(driver, as, [kind, numbers]);
        expect(verdicts).toHaveLength(numbers.length);
        expect(verdicts.filter(({ control, contained }) => control !== 'left' || contained === 'silent')).toEqual([]);
        const told = verdicts.filter(({ contained }) => contained === 'told').length;
        console.log(
          `${verdicts.length} left behind in ${kind} for ${who}: ${verdicts.length - told} prevented, ${told} told`,
        );
      }),
    );
  }
}

test('no attempt leaves a process running', () => {
  console.log(`tried ${total}, escaped 0`);
  const left = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  expect(left.filter((line) => line === 'sleep 4321')).toEqual([]);
});
