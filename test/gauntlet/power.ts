import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../hub/client/client.js';
import { homePaths } from '../../hub/config/config.js';
import { NodeId, Sha256, TreeId } from '../../hub/protocol/node.js';
import { outputPath } from '../../loom/outputs/output_path.js';
import { PROGRAM } from '../support/cli.js';
import { connectTo, HUB_ENTRY } from '../support/hub.js';
import { ran, text } from '../support/trees.js';
import { openWriterAt } from '../support/writer.js';
import { compileDiskShim } from './disk_log.js';
import { start } from './processes.js';

/** What a client was answered, or is about to ask for, in the order of the changes on the disk. */
export type Note =
  | { kind: 'node'; tree: string; id: string; output: string | null }
  | { kind: 'purging' | 'purged'; tree: string; outputs: string[] }
  | { kind: 'setting' | 'set'; value: string };

const ROUNDS = 14;
const NODES_PER_TREE = 4;
const SETTING = 'output.megabytes_max';

/** Environment variables that make a process log its changes of a home. */
export function loggedBy(shim: string, home: string, log: string): Record<string, string> {
  return { LD_PRELOAD: shim, DISK_ROOT: home, DISK_LOG: log, UV_USE_IO_URING: '0' };
}

/** Lets a hub store, purge and configure, and logs every change of its disk between the notes of what was answered. */
export async function recordHome(folder: string): Promise<{ home: string; log: string }> {
  const [home, log] = [join(folder, 'home'), join(folder, 'disk.log')];
  const env = { ...process.env, ...loggedBy(compileDiskShim(folder), home, log) };
  const note = (what: Note): void => appendFileSync(log, `A ${JSON.stringify(what)}\n`);
  const hub = start(HUB_ENTRY, [home], { env });
  await hub.says('is ready');
  const client = await connectTo(home, { start: false });
  for (let round = 0; round < ROUNDS; round++) {
    const tree = await growTree(client, note);
    if (round % 3 !== 0) {
      note({ kind: 'purging', ...tree });
      const { confirm } = await client.call('loom.tree_purge', { tree: tree.tree });
      await client.call('loom.tree_purge', { tree: tree.tree, confirm });
      note({ kind: 'purged', ...tree });
    }
    if (round % 4 === 0) {
      const value = String(10 + round);
      note({ kind: 'setting', value });
      spawnSync(process.execPath, [PROGRAM, 'config', 'set', SETTING, value], {
        env: { ...env, COGNITION_HOME: home, HOME: folder },
      });
      note({ kind: 'set', value });
    }
  }
  await client.close();
  hub.child.kill('SIGKILL');
  await hub.ended;
  return { home, log };
}

async function growTree(client: Client, note: (what: Note) => void): Promise<{ tree: TreeId; outputs: string[] }> {
  const tree = TreeId.parse(randomUUID());
  await client.call('loom.tree_create', { id: tree });
  note({ kind: 'node', tree, id: tree, output: null });
  const outputs: string[] = [];
  let parent = NodeId.parse(tree);
  for (let number = 0; number < NODES_PER_TREE; number++) {
    const id = NodeId.parse(randomUUID());
    const place = { id, tree, parent, blocks: text(`message ${number} ${'x'.repeat(300)}`) };
    if (number % 2 === 0) await client.call('loom.node_create_text', { ...place, role: 'user' });
    else {
      const data = Buffer.from(`output ${randomUUID()} ${'y'.repeat(2_000)}`).toString('base64');
      const written = await client.call('loom.blob_write', { upload: randomUUID(), offset: 0, data, done: true });
      if (written.output === null) throw new Error('the last piece is answered with the output');
      outputs.push(written.output.sha256);
      await client.call('loom.node_create_external', { ...place, external: { ...ran('cat'), output: written.output } });
    }
    note({ kind: 'node', tree, id, output: number % 2 === 0 ? null : (outputs.at(-1) ?? null) });
    parent = id;
  }
  return { tree, outputs };
}

/** What is wrong with a home after a cut, when these notes had been made before; null when nothing is. */
export function problemAfterCut(folder: string, notes: readonly Note[]): string | null {
  const { outputs, config } = homePaths(folder);
  const { nodes, loose } = recover(folder, notes);
  const isThere = (sha256: string): boolean => existsSync(outputPath(outputs, Sha256.parse(sha256)));
  const gone = new Set(notes.flatMap((one) => (one.kind === 'purging' ? [one.tree] : [])));
  for (const one of notes) {
    if (one.kind === 'purged' && (nodes.has(one.tree) || one.outputs.some(isThere)))
      return `${one.tree} was purged and is back`;
    if (one.kind !== 'node' || gone.has(one.tree)) continue;
    if (!nodes.has(one.id)) return `the node ${one.id} was answered and is lost`;
    if (!isWhole(outputs, one.output)) return `the output ${one.output} of a node is lost`;
  }
  return loose > 0 ? `${loose} files wait to be removed` : settingProblem(config, notes);
}

function recover(folder: string, notes: readonly Note[]): { nodes: Set<string>; loose: number } {
  if (!existsSync(homePaths(folder).database) && notes.length === 0) return { nodes: new Set(), loose: 0 };
  const writer = openWriterAt(folder);
  try {
    writer.restart();
    const rows = writer.store.all<{ id: string }>('SELECT lower(hex(id)) AS id FROM nodes');
    const check = String(writer.store.pragma('integrity_check'));
    if (check !== 'ok') throw new Error(check);
    const due = 'SELECT count(*) AS due FROM loose_files WHERE remove_at_ms = 0';
    return {
      nodes: new Set(rows.map(({ id }) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))),
      loose: writer.store.get<{ due: number }>(due)?.due ?? 0,
    };
  } finally {
    writer.store.close();
  }
}

function isWhole(outputs: string, sha256: string | null): boolean {
  if (sha256 === null) return true;
  const path = outputPath(outputs, Sha256.parse(sha256));
  return existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex') === sha256;
}

/** The last answered value, or one that was being set. */
function settingProblem(config: string, notes: readonly Note[]): string | null {
  const last = notes.findLastIndex(({ kind }) => kind === 'set');
  const possible = notes.slice(Math.max(0, last)).flatMap((one) => ('value' in one ? [one.value] : []));
  if (last < 0) return null;
  const stored = existsSync(config) ? readFileSync(config, 'utf8') : '';
  return possible.some((value) => stored === `${SETTING} = ${value}\n`) ? null : `config is ${JSON.stringify(stored)}`;
}
