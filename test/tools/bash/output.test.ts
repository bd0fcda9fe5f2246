import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { homePaths } from '../../../hub/config/config.js';
import type { CommandEvent } from '../../../hub/protocol/methods/tool_methods.js';
import { until } from './processes.js';
import { newNodeId, seen, withSession } from './session.js';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const numbers = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, n) => `${n + 1}\n`).join(''));

/** The bytes in the events, and how many of them were skipped. */
function toldBy(events: readonly CommandEvent[]) {
  const pieces: Buffer[] = [];
  let skipped = 0;
  let expected = 0;
  for (const event of events) {
    if (event.kind === 'started') continue;
    expect(event.offset).toBe(expected);
    const bytes = event.kind === 'output' ? Buffer.from(event.data, 'base64') : Buffer.alloc(0);
    expect(bytes.length).toBeLessThanOrEqual(65_536);
    pieces.push(bytes);
    if (event.kind === 'skipped') skipped += event.bytes;
    expected += event.kind === 'skipped' ? event.bytes : bytes.length;
  }
  return { bytes: Buffer.concat(pieces), skipped };
}

test('a long output is streamed whole, stored whole, and shown to a model by head and tail', () =>
  withSession(async ({ tell, stored }) => {
    const whole = numbers(200_000);
    const { events, answer } = await tell('seq 200000');
    const told = toldBy(events);
    expect([told.bytes.equals(whole), told.skipped]).toEqual([true, 0]);
    expect((await stored(answer)).equals(whole)).toBe(true);
    const shown = seen(answer);
    expect(Buffer.byteLength(shown)).toBeLessThan(31_000);
    expect(shown).toMatch(/^1\n2\n/);
    expect(shown).toMatch(/\n199999\n200000\n$/);
    expect(shown).toContain('left out of 1,288,895 bytes; to read on: read output:');
  }));

test('100 MB are stored byte for byte when the configuration allows them', () =>
  withSession(async ({ run, stored, home }) => {
    writeFileSync(join(home, 'config'), 'output.megabytes_max = 100\n');
    const line = 'yes 0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqr | head -c 100000000';
    const answer = await run(line);
    expect(answer.external.output).toMatchObject({ size_bytes: 100_000_000, total_bytes: 100_000_000 });
    const period = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqr\n');
    const expected = Buffer.alloc(100_000_000, period);
    expect(sha256(await stored(answer))).toBe(sha256(expected));
  }));

test('above the limit head and tail are stored, and the node says so', () =>
  withSession(async ({ run, stored, home }) => {
    writeFileSync(join(home, 'config'), 'output.megabytes_max = 1\n');
    const whole = numbers(1_000_000);
    const answer = await run('seq 1000000');
    expect(answer.external.output).toMatchObject({ size_bytes: 1_000_000, total_bytes: whole.length });
    expect(answer.external.handle.metadata).toMatchObject({ head_bytes: 500_000 });
    const kept = Buffer.concat([whole.subarray(0, 500_000), whole.subarray(-500_000)]);
    expect((await stored(answer)).equals(kept)).toBe(true);
    expect(seen(answer)).toMatch(/\n1000000\n\(only head and tail of the output are stored\)$/);
  }));

test('a caller that reads slowly slows the command down and misses nothing', () =>
  withSession(async ({ client, connect, session }) => {
    const events: CommandEvent[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const onEvent = (event: CommandEvent) => {
      events.push(event);
      return released;
    };
    const answer = client.stream('bash.execute', { session, command: 'seq 3000000' }, { onEvent });
    const other = await connect();
    const printed = async () => (await other.call('bash.list', {})).commands[0]?.output_bytes ?? 0;
    // It is paused when it prints no more for a while.
    let before = -1;
    await until(async () => {
      await wait(150);
      const now = await printed();
      const rests = now > 0 && now === before;
      before = now;
      return rests;
    });
    expect(before).toBeLessThan(12_000_000);
    release();
    await answer;
    const told = toldBy(events);
    expect([told.bytes.equals(numbers(3_000_000)), told.skipped]).toEqual([true, 0]);
  }));

test('a detached command continues at its own pace when its slow reader disconnects', () =>
  withSession(async ({ client, connect, session, tree, root, home, stored }) => {
    const id = newNodeId();
    const caller = await connect();
    const place = { tree, node: root };
    const params = { id, session, command: 'seq 3000000', place, append: true, detached: true };
    let events = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const onEvent = (): Promise<void> => {
      events += 1;
      return released;
    };
    caller.stream('bash.execute', params, { onEvent }).catch(() => undefined);
    await until(() => events > 0);
    const closed = caller.close();
    release();
    await closed;
    const { commands } = homePaths(home);
    await until(() => readdirSync(commands).length === 0);
    const { node } = await client.call('loom.node_get', { node: id });
    if (node.kind !== 'external') throw new Error('the node of a command is external');
    const kept = await stored({ node, blocks: node.blocks, external: node.external, branched: false });
    expect(kept.equals(numbers(3_000_000))).toBe(true);
  }));

test('a running command can be followed from any offset, by any client', () =>
  withSession(async ({ client, connect, session, folder }) => {
    const id = newNodeId();
    const answer = client.call('bash.execute', {
      id,
      session,
      command: 'mkfifo go; echo one; read < go; echo two >&2',
    });
    const other = await connect();
    await until(async () => (await other.call('bash.list', {})).commands[0]?.output_bytes === 4);
    const follow = async (offset: number) => {
      const events: CommandEvent[] = [];
      const onEvent = (event: CommandEvent): void => void events.push(event);
      return { total: await other.stream('bash.follow', { id, offset }, { onEvent }), events };
    };
    const follows = Promise.all([follow(0), follow(2), follow(4), follow(100)]);
    writeFileSync(join(folder, 'go'), '\n');
    const [all, from2, from4, beyond] = await follows;
    const output = (from: string, offset: number, data: string) => ({
      ...{ kind: 'output', from, offset, data: Buffer.from(data).toString('base64') },
    });
    expect(all).toEqual({
      total: { total_bytes: 8 },
      events: [output('stdout', 0, 'one\n'), output('stderr', 4, 'two\n')],
    });
    expect(from2.events).toEqual([output('stdout', 2, 'e\n'), output('stderr', 4, 'two\n')]);
    expect(from4.events).toEqual([output('stderr', 4, 'two\n')]);
    expect(beyond.events).toEqual([]);
    await answer;
    await expect(other.call('bash.follow', { id, stream: 's' })).rejects.toMatchObject({ kind: 'not_found' });
  }));
