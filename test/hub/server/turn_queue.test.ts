import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CALLS_OF_A_TURN, createTurnQueue, type TurnQueue } from '../../../hub/server/turn_queue.js';

const MIB = 1024 * 1024;
const SMALL = { bytes: 100, isUrgent: false };

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn();
}

function flood(queue: TurnQueue, begun: number[], count: number): void {
  for (let call = 0; call < count; call += 1) queue.push({ ...SMALL, connection: 1, begin: () => begun.push(1) });
}

describe('the turns of connections', () => {
  test('let other things happen among the calls of a flood', async () => {
    const begun: number[] = [];
    flood(createTurnQueue(), begun, 10_000);
    await nextTurn();
    await nextTurn();
    expect(begun.length).toBeLessThanOrEqual(CALLS_OF_A_TURN * 4);
    await until(() => begun.length === 10_000);
  });

  test('begin the call of another connection between two of a flood', async () => {
    const begun: number[] = [];
    const queue = createTurnQueue();
    flood(queue, begun, 1_000);
    queue.push({ ...SMALL, connection: 2, begin: () => begun.push(2) });
    await until(() => begun.length === 1_001);
    expect(begun.indexOf(2)).toBeLessThanOrEqual(CALLS_OF_A_TURN + 2);
  });

  test('begin one large frame at a time, and small ones meanwhile', async () => {
    const begun: string[] = [];
    const queue = createTurnQueue();
    const large = (connection: number) => ({
      ...{ connection, bytes: 7 * MIB, isUrgent: false },
      begin: () => begun.push(`large ${connection}`),
    });
    queue.push(large(1));
    queue.push(large(2));
    queue.push({ ...SMALL, connection: 2, begin: () => begun.push('after the large one of its connection') });
    queue.push({ ...SMALL, connection: 3, begin: () => begun.push('small') });
    queue.push({ ...large(4), isUrgent: true });
    await until(() => begun.length === 3);
    await nextTurn();
    expect(begun).toEqual(['large 1', 'small', 'large 4']);
    queue.release({ bytes: 7 * MIB });
    queue.release({ bytes: 7 * MIB });
    await until(() => begun.length === 5);
    expect(begun.slice(3)).toEqual(['large 2', 'after the large one of its connection']);
  });
});
