import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { z } from 'zod';
import { HubError } from '../../hub/base/error.js';
import { hostilePaths, type Place, samplesOf, stringPlaces, withString } from './hostile_params.js';

/** The files that a home has, whatever is asked of it; everything else must stay as it is. */
const KNOWN = [
  /^(home|canary)$/,
  /^home\/(trees|search)\.db(-wal|-shm|-journal)?$/,
  /^home\/hub\.(lock|sock)/,
  /^home\/logs\/(hub|tools)\.log(\.1)?$/,
  /^home\/logs\/[0-9a-f-]{36}\.jsonl(\.old)?$/,
  /^home\/outputs\/[0-9a-f]{2}(\/[0-9a-f]{62})?$/,
  /^home\/uploads(\/[0-9a-f-]{36})?$/,
  /^home\/sessions(\/\d{8}[-\w]*\.json)?$/,
  /^home\/(tmp|commands)(\/|$)/,
  /^home\/agents(\/[a-z]+(\/home)?)?$/,
  /^home\/(outputs|logs|files|git|mount-points)$/,
  /^home\/(files|git|mount-points)\/[0-9a-f]{64}(\/|$)/,
  /^work(\/|$)/,
];

/** One call to make: a valid one but for one string. */
export interface HostileCall {
  method: string;
  place: Place;
  params: unknown;
}

/** A folder with a home, a folder to work in and a canary, each with files that nobody may touch. */
export function makeGround(folder: string): { home: string; work: string; canary: string } {
  const ground = { home: join(folder, 'home'), work: join(folder, 'work'), canary: join(folder, 'canary') };
  for (const path of Object.values(ground)) mkdirSync(path, { recursive: true, mode: 0o700 });
  for (const name of ['file', 'config', 'trees.db']) writeFileSync(join(ground.canary, name), 'a canary');
  writeFileSync(join(ground.home, 'config'), 'output.megabytes_max = 9\n');
  writeFileSync(join(ground.home, 'session.json'), '{"version":1,"current":null,"trees":{}}\n');
  return ground;
}

/** Everything below a folder that is not a known file of the home, with what is in it. */
export function snapshot(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  // What calls may write is not looked at, however deep it has become.
  const tops = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'work');
  const folders = tops.filter((top) => top.isDirectory());
  const inner = folders.flatMap(({ name }) =>
    readdirSync(join(folder, name), { recursive: true, withFileTypes: true }),
  );
  for (const entry of [...tops, ...inner]) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (!KNOWN.some((known) => known.test(name))) found.set(name, stateOf(path));
  }
  return found;
}

function stateOf(path: string): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  if (!stats.isFile()) return 'no file';
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** What two snapshots have in difference. */
export function changes(before: Map<string, string>, after: Map<string, string>): string[] {
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${name} is gone`);
  const others = [...after]
    .filter(([name, state]) => before.get(name) !== state)
    .map(([name]) => `${name} was written`);
  return [...gone, ...others];
}

/** What a valid call names. */
export interface Names {
  tree: string;
  node: string;
  session: string;
  sha256: string;
  work: string;
}

/** Every call with one hostile string in one of the places where its schema takes one. */
export function hostileCalls(
  method: string,
  params: z.ZodType,
  { names, ground }: { names: Names; ground: { home: string; canary: string } },
): HostileCall[] {
  return samplesOf(params, textFor(names)).flatMap((sample) =>
    stringPlaces(sample).flatMap((place) =>
      hostilePaths(ground).map((text) => ({ method, place, params: withString(sample, place, text) })),
    ),
  );
}

const textFor = (names: Names) => {
  const byName = new Map([
    ...['cwd', 'writable', 'readable'].map((name) => [name, names.work] as const),
    ...[['path', join(names.work, 'file')] as const, ['command', 'true'] as const, ['data', 'YQ=='] as const],
  ]);
  return (name: string, pattern: string): string => {
    if (pattern.includes('{64}')) return names.sha256;
    if (pattern.startsWith('^session-')) return names.session;
    return pattern.includes('{4}-') || pattern === 'uuid' ? uuidFor(name, names) : (byName.get(name) ?? 'x');
  };
};

function uuidFor(name: string, { tree, node }: Names): string {
  if (name === 'tree') return tree;
  return name === 'node' || name === 'parent' ? node : randomUUID();
}

/** Makes a call, and tells how it was answered. A failure that is no answer fails the test. */
export async function tryCall(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return 'answered';
  } catch (error) {
    if (error instanceof HubError) return error.kind;
    throw error;
  }
}
