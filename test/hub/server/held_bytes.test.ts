import { describe, expect, test } from 'vitest';
import { createHeldBytes, HELD_BYTES_MAX, type Held } from '../../../hub/server/held_bytes.js';

const MIB = 1024 * 1024;
const NOTHING: Held = { arriving: 0, answering: 0, unread: 0 };

/** Connections by name, what was done to them, and a clock that the test sets. */
function ledger() {
  const done: string[] = [];
  const checks: (() => void)[] = [];
  let now = 0;
  const held = createHeldBytes({ nowMs: () => now, later: (check) => checks.push(check) });
  return {
    held,
    done,
    open(name: string, isTrusted = false) {
      return held.open({
        isTrusted: () => isTrusted,
        holdBack: (isOn) => done.push(`${name} ${isOn ? 'waits' : 'goes on'}`),
        drop: (reason) => done.push(`${name} ${reason}`),
      });
    },
    /** Sets the clock, and has it look for who is too slow. */
    at(ms: number) {
      now = ms;
      checks.splice(0).forEach((check) => {
        check();
      });
    },
  };
}

describe('the bytes that the hub holds', () => {
  test('stay under the limit: the connection with the most is dropped, and no other', () => {
    const { held, done, open } = ledger();
    const small = open('small');
    small.hold({ ...NOTHING, unread: 4 * MIB });
    open('large').hold({ ...NOTHING, unread: 60 * MIB });
    open('late').hold({ ...NOTHING, unread: 33 * MIB });
    expect(done).toEqual([`large has not read the most of ${97 * MIB} bytes that the hub holds for all connections`]);
    expect(held.total()).toBe(37 * MIB);
    expect(held.total()).toBeLessThanOrEqual(HELD_BYTES_MAX);
  });

  test('take a dropped connection into account no more', () => {
    const { held, open } = ledger();
    const dropped = open('dropped');
    dropped.hold({ ...NOTHING, unread: HELD_BYTES_MAX + 1 });
    dropped.hold({ ...NOTHING, unread: HELD_BYTES_MAX });
    expect(held.total()).toBe(0);
  });

  test('are taken first from who has not read for a second, even when another has more', () => {
    const { done, open, at } = ledger();
    const stalled = open('stalled');
    stalled.hold({ ...NOTHING, unread: 12 * MIB });
    const reading = open('reading');
    reading.hold({ ...NOTHING, unread: 28 * MIB });
    at(1_500);
    reading.hold({ ...NOTHING, unread: 27 * MIB });
    reading.hold({ ...NOTHING, unread: 31 * MIB });
    expect(done.map((line) => line.split(' ', 1)[0])).toEqual(['stalled']);
  });

  test('never cost one of the hub’s own processes its connection', () => {
    const { done, open } = ledger();
    open('tools', true).hold({ ...NOTHING, unread: 2 * HELD_BYTES_MAX });
    expect(done).toEqual([]);
  });
});

describe('large messages', () => {
  test('arrive one by one while much is held, and each in its turn', () => {
    const { done, open } = ledger();
    const [one, other, third] = [open('one'), open('other'), open('third')];
    one.hold({ ...NOTHING, arriving: 31 * MIB });
    other.hold({ ...NOTHING, arriving: 2 * MIB });
    third.hold({ ...NOTHING, arriving: 1 * MIB });
    one.hold({ ...NOTHING, arriving: 32 * MIB });
    expect(done).toEqual(['third waits', 'one waits']);
    other.hold({ ...NOTHING, answering: 2 * MIB });
    expect(done.slice(2)).toEqual(['one goes on']);
    one.hold({ ...NOTHING, answering: 9 * MIB });
    one.hold(NOTHING);
    expect(done.slice(3)).toEqual(['third goes on']);
  });

  test('wait for nobody when little is held, and small ones never', () => {
    const { done, open } = ledger();
    open('one').hold({ ...NOTHING, arriving: 30 * MIB });
    open('other').hold({ ...NOTHING, arriving: 1 * MIB });
    open('reader').hold({ ...NOTHING, unread: 20 * MIB });
    open('small').hold({ ...NOTHING, arriving: 60_000 });
    expect(done).toEqual([]);
  });

  test('end after five seconds when others wait for them, and after a minute in any case', () => {
    const { done, open, at } = ledger();
    const [stopped, slow] = [open('stopped'), open('slow')];
    slow.hold({ ...NOTHING, arriving: 10 });
    open('reader').hold({ ...NOTHING, unread: 33 * MIB });
    stopped.hold({ ...NOTHING, arriving: 1 * MIB });
    open('waiting').hold({ ...NOTHING, arriving: 1 * MIB });
    at(4_000);
    expect(done).toEqual(['waiting waits']);
    at(6_000);
    expect(done.slice(1)).toEqual(['waiting goes on', 'stopped takes longer than 5 s to send a message']);
    at(61_000);
    expect(done.slice(3)).toContain('slow takes longer than 60 s to send a message');
  });
});
