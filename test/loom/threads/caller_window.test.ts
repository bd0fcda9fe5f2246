import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { detach, neverFails } from '../../../hub/base/detach.js';
import type { CallContext, Caller } from '../../../hub/base/plugin.js';
import { createCallerWindow } from '../../../loom/threads/caller_window.js';

const client = (connection: number): Caller => ({ kind: 'client', connection });

function contextOf(caller: Caller, changed: Partial<CallContext> = {}): CallContext {
  const signal = new AbortController().signal;
  return { signal, caller, emit: () => undefined, hasRoom: () => true, drained: () => Promise.resolve(), ...changed };
}

/** Calls that stay until they are ended, and the names of those that have begun. */
function openCalls() {
  const window = createCallerWindow();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, context: CallContext): Promise<string> =>
    window.run(context, () => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    });
  return {
    begun,
    end: (name: string) => ends.get(name)?.(),
    run,
    /** Runs a call whose end nobody waits for. */
    begin: (name: string, context: CallContext) => detach(run(name, context), neverFails),
  };
}

describe('reading calls', () => {
  test('of one caller are four at once, of another they wait for none', async () => {
    const { run, begun, end } = openCalls();
    const calls = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => run(name, contextOf(client(1))));
    const other = run('other', contextOf(client(2)));
    await nextTurn();
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'other']);
    end('b');
    expect(await calls[1]).toBe('b');
    await nextTurn();
    expect(begun.slice(5)).toEqual(['e']);
    end('other');
    expect(await other).toBe('other');
  });

  test('that are cancelled while they wait take nobody’s place', async () => {
    const { run, begin, begun, end } = openCalls();
    const leaving = new AbortController();
    for (const name of ['a', 'b', 'c', 'd']) begin(name, contextOf(client(1)));
    const cancelled = run('cancelled', contextOf(client(1), { signal: leaving.signal }));
    begin('last', contextOf(client(1)));
    leaving.abort();
    await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled' });
    await nextTurn();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    end('a');
    await nextTurn();
    expect(begun.slice(4)).toEqual(['last']);
  });

  test('begin only when their caller has read what it has', async () => {
    const { begin, begun } = openCalls();
    let read = (): void => undefined;
    const drained = new Promise<void>((resolve) => {
      read = resolve;
    });
    begin('late', contextOf(client(1), { hasRoom: () => false, drained: () => drained }));
    await nextTurn();
    expect(begun).toEqual([]);
    read();
    await nextTurn();
    expect(begun).toEqual(['late']);
  });

  test('of the hub itself are not limited', async () => {
    const { begin, begun } = openCalls();
    for (const name of ['a', 'b', 'c', 'd', 'e']) begin(name, contextOf({ kind: 'internal' }));
    await nextTurn();
    expect(begun).toHaveLength(5);
  });
});
