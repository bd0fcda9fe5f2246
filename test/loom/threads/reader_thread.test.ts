import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliCommand } from '../../../hub/base/hint.js';
import type { CallContext } from '../../../hub/base/plugin.js';
import { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { startReader } from '../../../loom/threads/reader_thread.js';
import { answer, user } from '../../support/trees.js';
import { type TestWriter, withWriter } from '../../support/writer.js';

const built = new URL('../../../dist/loom_reader.js', import.meta.url);
const contextOf = (signal: AbortSignal): CallContext => ({
  signal,
  caller: { kind: 'client', connection: 1 },
  emit: () => undefined,
  hasRoom: () => true,
  drained: () => Promise.resolve(),
});
const never = contextOf(new AbortController().signal);

const startOn = ({ folder }: TestWriter) =>
  startReader(built, {
    database: join(folder, 'trees.db'),
    searchIndex: join(folder, 'search.db'),
    outputs: join(folder, 'outputs'),
    isForChecks: false,
  });

test('the reading thread sees each commit and answers with the text of the result', async () => {
  await withWriter(async (writer) => {
    const reader = startOn(writer);
    const { tree, ids } = await writer.plant(user('a'));
    const params = { node: NodeId.parse(ids.a), cursor: null, limit: 10 };
    const path = JSON.parse((await reader.call('loom.context_get_path', params, never)).text);
    expect(path.nodes.map((node: { id: string }) => node.id)).toEqual([tree, ids.a]);
    const below = await writer.plant(user('b', answer('needle')));
    const search = { query: 'needle', tree: null, archived: false, cursor: null, limit: 10 };
    const { hits } = JSON.parse((await reader.call('loom.search', search, never)).text);
    expect(hits.map((hit: { node: string }) => hit.node)).toEqual([below.ids.needle]);
    await reader.close();
  });
});

test('a refusal crosses the thread with its kind, its hint and its details', async () => {
  await withWriter(async (writer) => {
    const reader = startOn(writer);
    const tree = TreeId.parse('99999999-0000-4000-8000-000000000000');
    await expect(reader.call('loom.tree_get', { tree }, never)).rejects.toMatchObject({
      kind: 'not_found',
      hint: [
        ...['see them with: ', cliCommand('list'), ', or ', cliCommand('list', '--archived')],
        ...['; start one with: ', cliCommand('new')],
      ],
      details: { tree },
    });
    await reader.close();
  });
});

test('a call whose caller goes away is answered as cancelled', async () => {
  await withWriter(async (writer) => {
    const reader = startOn(writer);
    await writer.plant(...Array.from({ length: 1_500 }, (_, index) => user(`${index}`)));
    const caller = new AbortController();
    const checked = reader.call('loom.fsck', { tree: null }, contextOf(caller.signal));
    caller.abort();
    await expect(checked).rejects.toMatchObject({ kind: 'cancelled' });
    await reader.close();
  });
});

test('a database that cannot be opened is tried once for each call, not for ever', async () => {
  const threads = new Set<unknown>();
  const note = (thread: unknown): unknown => threads.add(thread);
  await withWriter(async ({ folder }) => {
    process.on('worker', note);
    const reader = startReader(built, {
      database: join(folder, 'none', 'trees.db'),
      searchIndex: join(folder, 'search.db'),
      outputs: join(folder, 'outputs'),
      isForChecks: false,
    });
    const search = { query: 'a', tree: null, archived: false, cursor: null, limit: 1 };
    for (let call = 0; call < 3; call += 1) {
      await expect(reader.call('loom.search', search, never)).rejects.toMatchObject({ kind: 'storage_failed' });
    }
    await reader.close();
    process.off('worker', note);
  });
  expect(threads.size).toBe(3);
});
