import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homePaths } from '../../../hub/config/config.js';
import { resolveCommand } from '../../../tools/bash/resolve_command.js';
import { connectTo, killHub, withFolder } from '../../support/hub.js';
import { canMount, mountDisk, unmount } from '../../support/mounts.js';
import { processesWith, toolsOf, until } from './processes.js';
import { refused } from './refused.js';
import { newNodeId, seen, withSession } from './session.js';

const DISK_MIB = 8;
/** Leaves no room for a page of a database, in large files and small ones. */
const FILL = 'mkdir fill; head -c 9000000 /dev/zero > fill/all; for i in {1..50}; do echo > fill/$i; done 2>/dev/null';

test.runIf(canMount)('on a full disk a command continues, and its node says what is missing', () =>
  withFolder(async (folder) => {
    mountDisk(folder, `${DISK_MIB}m`);
    const home = join(folder, 'home');
    const client = await connectTo(home);
    try {
      const { id: tree } = await client.call('loom.tree_create', {});
      const opened = { cwd: '/', environment: null, policy: { kind: 'open' as const } };
      const { session } = await client.call('bash.open', opened);
      const params = { session, place: { tree, node: tree }, append: true };
      const command = 'seq 2000000; echo the end >&2';
      const full = await client.call('bash.execute', { ...params, id: newNodeId(), command });
      const { output } = full.external;
      expect(full.external).toMatchObject({ exit_code: 0, output: { total_bytes: 14_888_904 } });
      expect(full.external.handle.metadata).toMatchObject({ stderr_bytes: 8, head_bytes: output?.size_bytes });
      expect(output?.size_bytes).toBeGreaterThan(500_000);
      expect(seen(full)).toMatch(/^1\n2\n3\n.*\(the output was not kept whole: the disk is full\)$/s);
      expect((await client.call('loom.node_get', { node: full.node?.id ?? '' })).node).toEqual(full.node);
      const small = await client.call('bash.execute', { ...params, id: newNodeId(), command: 'seq 1000' });
      expect(small.external.output).toMatchObject({ size_bytes: 3_893 });
    } finally {
      await client.close();
      await killHub(home);
      unmount(folder);
    }
  }),
);

test.runIf(canMount)(
  'the result of a command on a full disk is stored by a later retry, which does not run it again',
  () =>
    withFolder(async (folder) => {
      mountDisk(folder, `${DISK_MIB}m`);
      const home = join(folder, 'home');
      const client = await connectTo(home);
      try {
        const { id: tree } = await client.call('loom.tree_create', {});
        const opened = { cwd: folder, environment: null, policy: { kind: 'open' as const } };
        const { session } = await client.call('bash.open', opened);
        const command = `echo ran >> ran; ${FILL}; exit 3`;
        const params = { session, id: newNodeId(), command, place: { tree, node: tree }, append: true };
        const run = () => client.call('bash.execute', params);
        expect(await refused(run())).toMatchObject({ kind: 'disk_full' });
        expect(await refused(run())).toMatchObject({ kind: 'storage_failed', hint: expect.stringContaining('room') });
        rmSync(join(folder, 'fill'), { recursive: true });
        expect(await run()).toMatchObject({ node: { id: params.id }, external: { exit_code: 3 } });
        expect(readFileSync(join(folder, 'ran'), 'utf8')).toBe('ran\n');
        expect(readdirSync(homePaths(home).commands)).toEqual([]);
      } finally {
        await client.close();
        await killHub(home);
        unmount(folder);
      }
    }),
);

test('a handle resolves to what a command printed, whole or by head and tail, without running it again', () =>
  withSession(async ({ run, client }) => {
    const { handle, output } = (await run('echo ran >> times; seq 1000')).external;
    const resolve = (bytes_max: number) => resolveCommand(client, { handle, output, fresh: true, bytes_max });
    const whole = Array.from({ length: 1_000 }, (_, n) => `${n + 1}\n`).join('');
    expect(await resolve(10_000)).toEqual({ text: whole, total_bytes: 3_893, left_out_bytes: 0, changed: null });
    const cut = await resolve(100);
    expect(cut.text).toMatch(/^1\n2\n.*\[… \d+ bytes left out …\]\n.*\n1000\n$/s);
    expect(Buffer.byteLength(cut.text)).toBeLessThan(150);
    expect(seen(await run('cat times'))).toBe('ran\n');
    const empty = (await run('true')).external;
    const none = { handle: empty.handle, output: null, fresh: false, bytes_max: 10 };
    expect(await resolveCommand(client, none)).toMatchObject({ text: '', total_bytes: 0 });
    const lost = resolveCommand(client, { handle, output: null, fresh: true, bytes_max: 10 });
    expect(await refused(lost)).toMatchObject({ kind: 'resolve_failed' });
  }));

test('tools killed at any instant of a command leave its node or no trace of it', () =>
  withSession(async ({ home, folder, client, tree, root, connect }) => {
    const { commands } = homePaths(home);
    // After repeated deaths the tools are restarted only by the next call.
    const ready = () =>
      until(() =>
        client.call('tools.check', {}).then(
          () => true,
          () => false,
        ),
      );
    for (let round = 0; round < 12; round++) {
      const id = newNodeId();
      const caller = await connect();
      const opened = { cwd: folder, environment: null, policy: { kind: 'open' as const } };
      const { session } = await caller.call('bash.open', opened);
      const command = `echo ${round} > ran; echo printed; sleep 0.0${round}; echo more; setsid sleep 1000`;
      const params = { id, session, command, place: { tree, node: root }, append: true };
      const answer = caller.call('bash.execute', params).catch(() => null);
      if (round > 3) await until(() => existsSync(join(commands, `${id}.json`)));
      if (round > 7)
        await until(
          () => existsSync(join(folder, 'ran')) && readFileSync(join(folder, 'ran'), 'utf8') === `${round}\n`,
        );
      process.kill(toolsOf(home), 'SIGKILL');
      await answer;
      await ready();
      await until(() => readdirSync(commands).length === 0);
      expect(processesWith(folder)).toEqual([]);
      const node = await client.call('loom.node_get', { node: id }).catch(() => null);
      const hasRun = existsSync(join(folder, 'ran')) && readFileSync(join(folder, 'ran'), 'utf8') === `${round}\n`;
      expect([round, hasRun && node === null]).toEqual([round, false]);
      if (node !== null) expect(node.node.blocks).toMatchObject([{ text: expect.stringContaining('interrupted') }]);
      writeFileSync(join(folder, 'ran'), '');
      await caller.close();
    }
  }));
