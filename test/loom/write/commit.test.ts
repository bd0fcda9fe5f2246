import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HubError } from '../../../hub/base/error.js';
import { openStore } from '../../../loom/store/store.js';
import { toWorkerError } from '../../../loom/store/worker_error.js';
import { createCommitter } from '../../../loom/write/commit.js';
import { refusal } from '../../support/refusal.js';
import { text } from '../../support/trees.js';
import { withWriter } from '../../support/writer.js';

describe('calls that arrive together', () => {
  test('share one commit, and each gets its own answer', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const append = (content: string): ['loom.node_create_text', object] => [
        'loom.node_create_text',
        { tree, parent: tree, role: 'user', blocks: text(content) },
      ];
      const missing: ['loom.node_create_text', object] = [
        'loom.node_create_text',
        { tree, parent: writer.newId(), role: 'user', blocks: text('lost') },
      ];
      const answers = writer.writeTogether([append('a'), missing, append('b')]);
      expect(answers[1]).toBeInstanceOf(HubError);
      expect(answers[0]).toMatchObject({ node: { seq: 3 } });
      // The refused call has given its number back: the feed has no hole.
      expect(answers[2]).toMatchObject({ node: { seq: 4 } });
      expect(writer.feed.map((entry) => entry.seq)).toEqual([1, 2, 3, 4]);
    }));

  test('a refused call leaves nothing of itself behind', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const before = writer.store.all('SELECT * FROM nodes');
      const taken = writer.newId();
      writer.write('loom.node_create_text', { id: taken, tree, parent: tree, role: 'user', blocks: text('a') });
      const call = { tool: 'bash', input: {}, id: 'c' };
      const [answer] = writer.writeTogether([
        [
          'loom.step_create',
          {
            ...{ tree, parent: tree, id: writer.newId() },
            blocks: [{ type: 'call', id: 'c', tool: 'bash', input: {} }],
            // The second node of the step has the id of another node, after the first has been written.
            calls: [{ id: taken, blocks: [], external: externalOf(call) }],
          },
        ],
      ]);
      expect(answer).toMatchObject({ kind: 'conflict' });
      expect(writer.store.all('SELECT * FROM nodes')).toHaveLength(before.length + 1);
    }));

  test('the counter continues after a restart, even when the newest rows were purged', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const { confirm } = writer.write('loom.tree_purge', { tree });
      writer.write('loom.tree_purge', { tree, confirm });
      writer.restart();
      writer.write('loom.tree_create', {});
      expect(writer.feed.map((entry) => entry.seq)).toEqual([1, 2, 3, 4, 5]);
    }));
});

describe('a disk that fails', () => {
  test('a call that does not fit is refused alone, and the others of its batch are stored', () =>
    withWriter((writer) => {
      writer.store.exec('CREATE TABLE sizes (bytes BLOB)');
      const fill = (bytes: number) => ({ op: 'fill', params: bytes, atMs: 0 });
      const committer = createCommitter({
        ...{ store: writer.store, outputs: writer.folder, appends: new Set<string>(), sweep: () => '{}' },
        ops: {
          fill: (writing, bytes: never) => {
            writing.store.run('INSERT INTO sizes VALUES (zeroblob(?))', bytes);
            return 'true';
          },
        },
      });
      writer.store.pragma(`max_page_count = ${Number(writer.store.pragma('page_count')) + 4}`);
      const { replies } = committer.commit(
        [fill(100), fill(1_000_000), fill(200)].map((call, id) => ({ id, ...call })),
      );
      expect(replies.map((reply) => ('error' in reply ? reply.error.kind : reply.json))).toEqual([
        'true',
        'disk_full',
        'true',
      ]);
      expect(writer.store.all('SELECT length(bytes) AS bytes FROM sizes')).toEqual([{ bytes: 100 }, { bytes: 200 }]);
      expect(committer.failure()).toBeNull();
    }));

  test('when another process has written to the database, nothing more is written', () =>
    withWriter((writer) => {
      const { id: tree } = writer.write('loom.tree_create', {});
      const stranger = openStore({ path: join(writer.folder, 'trees.db'), access: 'write', synchronous: 'full' });
      stranger.run('UPDATE trees SET title = ?', 'mine');
      stranger.close();
      const append = () =>
        writer.write('loom.node_create_text', { tree, parent: tree, role: 'user', blocks: text('x') });
      for (const _twice of [1, 2]) expect(refusal(append).kind).toBe('storage_failed');
      expect(writer.store.get('SELECT count(*) AS n FROM nodes')).toEqual({ n: 1 });
      writer.restart();
      expect(append().node.seq).toBe(3);
    }));

  test('an unexpected failure of a call is reported and undone', () =>
    withWriter((writer) => {
      const committer = createCommitter({
        ...{ store: writer.store, outputs: writer.folder, appends: new Set<string>(), sweep: () => '{}' },
        ops: {
          'loom.break': () => {
            throw new TypeError('a mistake');
          },
        },
      });
      const { replies } = committer.commit([{ id: 7, op: 'loom.break', params: {}, atMs: 0 }]);
      expect(replies).toMatchObject([{ id: 7, error: { kind: 'internal' } }]);
      expect(writer.store.inTransaction()).toBe(false);
    }));
});

test('an error keeps its kind, hint and details between threads', () => {
  const error = new HubError('limit', 'too many', { hint: 'wait', retryable: true, details: { most: 3 } });
  expect(toWorkerError(error)).toEqual({
    ...{ kind: 'limit', message: 'too many', hint: 'wait', retryable: true, details: { most: 3 } },
  });
});

const externalOf = (call: object) => ({
  ...{ call, handle: { source: 'bash', source_version: '1', identifier: 'x', metadata: {} } },
  ...{ output: null, exit_code: 0, signal: null, duration_ms: 1, cwd: '/' },
});
