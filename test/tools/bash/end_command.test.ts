import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from '../../../hub/client/client.js';
import { homePaths } from '../../../hub/config/config.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import { connectTo, hubPid } from '../../support/hub.js';
import { processesWith, toolsOf, until } from './processes.js';
import { newNodeId, seen, type TestSession, withSession } from './session.js';

/** Five kinds of process, each saying that it is there. */
const TREE = [
  'setsid sh -c "echo $$ > one; exec sleep 1000" &',
  '(trap "" TERM INT HUP; touch two; sleep 1000) &',
  'nohup sleep 1000 >/dev/null 2>&1 & touch three',
  '( (sleep 1000 & touch four) & )',
  'coproc sleep 1000; touch five',
  'echo printed; sleep 1000',
].join('\n');
const SILENT_TREE = TREE.replace('echo printed; ', '');
const PARTS = ['one', 'two', 'three', 'four', 'five'];

const isThere = ({ folder }: TestSession) => PARTS.every((name) => existsSync(join(folder, name)));
// The tools do not know yet what is still in the pipe.
const hasPrinted = ({ home }: TestSession, id: NodeId) => {
  const spool = statSync(join(homePaths(home).commands, `${id}.out`), { throwIfNoEntry: false });
  return (spool?.size ?? 0) > 'printed'.length;
};
const left = ({ folder }: TestSession) => processesWith(folder);
const records = (home: string) => readdirSync(homePaths(home).commands);

async function nodeOf(client: Client, node: NodeId) {
  const { node: found } = await client.call('loom.node_get', { node });
  if (found.kind !== 'external') throw new Error('the node of a command is external');
  return { parent: found.parent, blocks: found.blocks, external: found.external, node: found, branched: false };
}

async function begun(session: TestSession, command = TREE) {
  const id = newNodeId();
  const answer = session.runAt(session.root, command, { id });
  answer.catch(() => undefined);
  await until(() => isThere(session) && (command === SILENT_TREE || hasPrinted(session, id)));
  return { id, answer };
}

test('a command that takes too long is ended with all its processes', () =>
  withSession(async (session) => {
    const { external, ...answer } = await session.runAt(session.root, TREE, { timeout_ms: 600 });
    expect(isThere(session)).toBe(true);
    expect(external).toMatchObject({ exit_code: null, signal: 'SIGTERM' });
    expect(seen({ ...answer, external })).toBe('printed\n(timed out after 600 ms)');
    expect(left(session)).toEqual([]);
    expect(records(session.home)).toEqual([]);
  }));

test('a command that ignores being asked to end is killed', () =>
  withSession(async ({ run }) => {
    const stubborn = await run("trap '' TERM INT; echo on; while :; do sleep 0.05; done", { timeout_ms: 300 });
    expect(stubborn.external).toMatchObject({ exit_code: null, signal: 'SIGKILL' });
    const polite = await run("trap 'echo saved; exit 0' TERM; sleep 1000 & wait", { timeout_ms: 300 });
    expect(polite.external).toMatchObject({ exit_code: 0, signal: null });
    expect(seen(polite)).toBe('saved\n(timed out after 300 ms)');
  }));

test('a cancelled command ends with all its processes, and its node says so', () =>
  withSession(async (session) => {
    const { id, answer } = await begun(session);
    expect(await session.client.call('bash.cancel', { id })).toEqual({ cancelled: true });
    expect(left(session)).toEqual([]);
    expect(await answer).toMatchObject({ external: { signal: 'SIGINT' }, node: { parent: session.root } });
    expect(seen(await answer)).toBe('printed\n(cancelled)');
    expect(await session.client.call('bash.cancel', { id })).toEqual({ cancelled: false });
  }));

test('a command whose caller disconnects ends, and its node is appended at its position', () =>
  withSession(async (session) => {
    const id = newNodeId();
    const caller = await session.connect();
    const place = { tree: session.tree, node: session.root };
    const params = { id, session: session.session, command: TREE, place, append: true };
    caller.call('bash.execute', params).catch(() => undefined);
    await until(() => isThere(session) && hasPrinted(session, id));
    await caller.close();
    await until(() => records(session.home).length === 0);
    expect(left(session)).toEqual([]);
    const node = await nodeOf(session.client, id);
    expect(node.parent).toBe(session.root);
    expect(seen(node)).toBe('printed\n(cancelled)');
  }));

test('a detached command continues when its caller disconnects', () =>
  withSession(async (session) => {
    const id = newNodeId();
    const caller = await session.connect();
    const place = { tree: session.tree, node: session.root };
    const command = 'mkfifo go; touch ready; read x < go; echo $x';
    const params = { id, session: session.session, command, place, append: true, detached: true };
    caller.call('bash.execute', params).catch(() => undefined);
    await until(() => existsSync(join(session.folder, 'ready')));
    await caller.close();
    expect((await session.client.call('bash.list', {})).commands).toMatchObject([{ id, command, place }]);
    writeFileSync(join(session.folder, 'go'), 'went on\n');
    await until(() => records(session.home).length === 0);
    expect(seen(await nodeOf(session.client, id))).toBe('went on\n');
  }));

test('a closed session ends its commands', () =>
  withSession(async (session) => {
    const { answer } = await begun(session);
    expect(await session.client.call('bash.close', { session: session.session })).toEqual({ closed: true });
    expect(left(session)).toEqual([]);
    expect(seen(await answer)).toBe('printed\n(cancelled: its session was closed)');
  }));

test("a person's background jobs outlive the command, and do not delay the answer", () =>
  withSession(async (session) => {
    const command = '(while :; do echo again; sleep 0.01; [ -e stop ] && break; done; touch stopped) & echo first';
    const { external } = await session.run(command);
    expect(external.duration_ms).toBeLessThan(1_000);
    expect(left(session).length).toBeGreaterThan(0);
    // Nobody reads their output now, which does not end them.
    const { external: next } = await session.run('sleep 0.1; [ -e stopped ]');
    expect(next.exit_code).toBe(1);
    await session.run('touch stop');
    await until(() => existsSync(join(session.folder, 'stopped')));
  }));

test("a model's background processes end with its command, which says so", () =>
  withSession(async (session) => {
    const command = 'setsid sleep 1000 & sleep 1000 & sleep 0.05; echo done';
    const answer = await session.run(command, { call_id: 'call-1' });
    expect(left(session)).toEqual([]);
    expect(seen(answer)).toBe('done\n(2 background processes ended with it)');
    expect(answer.external.handle.metadata).toMatchObject({ background_ended: 2 });
  }));

test('when the tools are killed, the next ones end the running commands and append what they had printed', () =>
  withSession(async (session) => {
    const { id, answer } = await begun(session);
    const killed = toolsOf(session.home);
    process.kill(killed, 'SIGKILL');
    await expect(answer).rejects.toMatchObject({ kind: 'unreachable' });
    await until(() => records(session.home).length === 0);
    expect(left(session)).toEqual([]);
    const node = await nodeOf(session.client, id);
    expect(seen(node)).toBe('printed\n(interrupted: the tools process or the hub ended while it ran)');
    expect(node.external).toMatchObject({ signal: 'SIGKILL', exit_code: null, output: { size_bytes: 8 } });
    // A retry does not run it again, although its session is gone.
    const again = await session.runAt(session.root, TREE, { id });
    expect(again).toMatchObject({ node: node.node, external: node.external });
  }));

test('when the hub is killed, running commands end at once and the next hub appends their nodes', () =>
  withSession(async (session) => {
    const { id } = await begun(session);
    await session.kill();
    await until(() => left(session).length === 0);
    const next = await connectTo(session.home);
    await until(() => records(session.home).length === 0);
    expect(seen(await nodeOf(next, id))).toMatch(/^printed\n\((cancelled: the hub has ended|interrupted: )/);
    // Its tools have made their folders: nothing is added any more while the test removes them.
    await next.call('tools.check', {});
    await next.close();
  }));

test('when hub and tools are killed together, the next hub ends the command and appends its node', () =>
  withSession(async (session) => {
    const { id } = await begun(session);
    const pids = [toolsOf(session.home), await hubPid(session.home)];
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    expect(left(session).length).toBeGreaterThan(4);
    const next = await connectTo(session.home);
    await until(() => records(session.home).length === 0);
    expect(left(session)).toEqual([]);
    expect(seen(await nodeOf(next, id))).toContain('(interrupted: ');
    await next.close();
  }));

test('a command that was killed before it had printed anything gets its node as well', () =>
  withSession(async (session) => {
    const { id } = await begun(session, SILENT_TREE);
    expect(records(session.home)).toEqual([`${id}.json`]);
    for (const pid of [toolsOf(session.home), await hubPid(session.home)]) process.kill(pid, 'SIGKILL');
    const next = await connectTo(session.home);
    await until(() => records(session.home).length === 0);
    expect(seen(await nodeOf(next, id))).toMatch(/^\(no output\)\n\(interrupted: /);
    await next.close();
  }));

test('when the hub ends normally, running commands become cancelled nodes', () =>
  withSession(async (session) => {
    const { id } = await begun(session);
    const pid = await session.pid();
    await session.client.call('health.stop', {});
    await until(() => processesWith(`cognition hub ${session.home}`).every((other) => other !== pid));
    expect(left(session)).toEqual([]);
    expect(records(session.home)).toEqual([]);
    const next = await connectTo(session.home);
    expect(seen(await nodeOf(next, id))).toBe('printed\n(cancelled: the hub has ended)');
    await next.close();
  }));

test('unreadable records are set aside, and their processes are ended', () =>
  withSession(async (session) => {
    const { id } = await begun(session);
    const { commands } = homePaths(session.home);
    for (const pid of [toolsOf(session.home), await hubPid(session.home)]) process.kill(pid, 'SIGKILL');
    const text = readFileSync(join(commands, `${id}.json`), 'utf8');
    writeFileSync(join(commands, `${id}.json`), text.slice(0, 100));
    writeFileSync(join(commands, `${newNodeId()}.json`), '');
    writeFileSync(join(commands, 'stray.out'), 'x');
    writeFileSync(join(commands, `${newNodeId()}.json`), '{"marker":1}\n');
    const next = await connectTo(session.home);
    await next.call('tools.check', {});
    expect(left(session)).toEqual([]);
    expect(records(session.home)).toEqual([]);
    // The empty record belongs to no process: it was created before its command started.
    expect(readdirSync(join(session.home, 'commands-unreadable'))).toHaveLength(4);
    await next.close();
  }));
