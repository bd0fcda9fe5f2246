import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFileLock } from '../../../cli/files/file_lock.js';
import { openSession } from '../../../cli/position/session_file.js';
import { TreeId } from '../../../hub/protocol/node.js';
import { withFolder } from '../../support/hub.js';
import { nodeId } from '../../support/skeleton.js';

const NOW_MS = 1_700_000_000_000;
// Process numbers end far below.
const NO_PROCESS = 2 ** 30;
const one = TreeId.parse(nodeId(1));
const other = TreeId.parse(nodeId(2));

function openAt(folder: string) {
  const path = join(folder, 'home', 'session.json');
  const said: string[] = [];
  const session = openSession(
    path,
    (text) => said.push(text),
    () => NOW_MS,
  );
  return { path, said, session };
}

test('the current tree and the positions are kept, readable by their owner alone', async () => {
  await withFolder(async (folder) => {
    const { path, session } = openAt(folder);
    expect(session.read()).toEqual({ version: 1, current: null, projects: {}, trees: {} });
    await session.use(one, '/here');
    await session.move(one, nodeId(7));
    await session.move(other, nodeId(8));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      version: 1,
      current: one,
      projects: { '/here': one },
      trees: { [one]: { node: nodeId(7), moved_at_ms: NOW_MS }, [other]: { node: nodeId(8), moved_at_ms: NOW_MS } },
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'home'))).toEqual(['session.json']);
  });
});

test('what is forgotten leaves the others alone', async () => {
  await withFolder(async (folder) => {
    const { session } = openAt(folder);
    await session.use(one, '/here');
    await session.move(one, nodeId(7));
    await session.move(other, nodeId(8));
    await session.forget(one);
    expect(session.read()).toMatchObject({ current: null, trees: { [other]: { node: nodeId(8) } } });
    expect(session.read().trees[one]).toBeUndefined();
  });
});

test('each project has its current tree, and a dropped one is the current one nowhere', async () => {
  await withFolder(async (folder) => {
    const { session } = openAt(folder);
    await session.use(one, '/here');
    await session.use(other, '/there');
    await session.use(one, '/elsewhere');
    expect(session.read()).toMatchObject({
      current: one,
      projects: { '/here': one, '/there': other, '/elsewhere': one },
    });
    await session.drop(one);
    expect(session.read()).toMatchObject({ current: null, projects: { '/there': other } });
    expect(Object.keys(session.read().projects)).toEqual(['/there']);
  });
});

test('a file of an older version keeps its current tree, and what is no tree of a project is left out', async () => {
  await withFolder(async (folder) => {
    const { path, session } = openAt(folder);
    await session.move(other, nodeId(8));
    const old = { version: 1, current: one, trees: { [other]: { node: nodeId(8), moved_at_ms: 1 } } };
    writeFileSync(path, JSON.stringify(old));
    expect(session.read()).toEqual({ ...old, projects: {} });
    writeFileSync(path, JSON.stringify({ ...old, projects: { '/a': other, b: one, '/c': 'x', __proto__: 7 } }));
    expect(session.read()).toEqual({ ...old, projects: { '/a': other } });
  });
});

test.each([
  ['no JSON', '{"version":1,'],
  ['another shape', '{"version":1,"current":"x","trees":{}}'],
  ['a place that is no node', `{"version":1,"current":null,"trees":{"${one}":{"node":7,"moved_at_ms":1}}}`],
  ['another version', '{"version":2,"current":null,"trees":{}}'],
  ['a key that is no tree', '{"version":1,"current":null,"trees":{"__proto__":{}, "x":{"node":"y"}}}'],
])('a session file with %s is set aside with a note, and positions start anew', async (_, text) => {
  await withFolder(async (folder) => {
    const { path, said, session } = openAt(folder);
    await session.use(one, '/here');
    writeFileSync(path, text);
    await session.move(other, nodeId(8));
    expect(session.read()).toMatchObject({ current: null, trees: { [other]: { node: nodeId(8) } } });
    expect(readFileSync(`${path}.corrupt-${NOW_MS}`, 'utf8')).toBe(text);
    expect(said).toEqual([
      `${path} could not be read; it was set aside as ${path}.corrupt-${NOW_MS}, and positions start anew`,
    ]);
  });
});

test('changes made at the same time are all kept', async () => {
  await withFolder(async (folder) => {
    const trees = Array.from({ length: 40 }, (_, number) => TreeId.parse(nodeId(100 + number)));
    await Promise.all(trees.map((tree) => openAt(folder).session.move(tree, nodeId(1))));
    expect(Object.keys(openAt(folder).session.read().trees).sort()).toEqual([...trees].sort());
  });
});

test('the lock of a process that is gone is replaced', async () => {
  await withFolder(async (folder) => {
    const lock = join(folder, 'lock');
    writeFileSync(lock, String(NO_PROCESS));
    expect(await withFileLock(lock, () => readFileSync(lock, 'utf8'))).toBe(String(process.pid));
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('so is that of one which was killed before it could write its number', async () => {
  await withFolder(async (folder) => {
    const lock = join(folder, 'lock');
    writeFileSync(lock, '');
    const longAgo = new Date(Date.now() - 2_000);
    utimesSync(lock, longAgo, longAgo);
    expect(await withFileLock(lock, () => readFileSync(lock, 'utf8'))).toBe(String(process.pid));
  });
});

test('the lock is let go when the work fails', async () => {
  await withFolder(async (folder) => {
    const lock = join(folder, 'lock');
    const work = withFileLock(lock, () => {
      throw new Error('the work failed');
    });
    await expect(work).rejects.toThrow('the work failed');
    expect(readdirSync(folder)).toEqual([]);
  });
});
