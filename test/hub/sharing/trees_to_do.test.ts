import { expect, test } from 'vitest';
import { createTreesToDo } from '../../../hub/sharing/live/trees_to_do.js';

const [one, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

test('what is appended while a round is sent waits for the next one, and is known until then', () => {
  const trees = createTreesToDo();
  expect(trees.noteAppended(one)).toBe(true);
  expect(trees.noteAppended(one)).toBe(false);
  trees.noteAppended(other);
  expect(trees.next(true)).toMatchObject({ tree: one, sends: true, fetches: false });
  expect(trees.noteAppended(one)).toBe(true);
  expect(trees.next(false)).toMatchObject({ tree: other, sends: true });
  expect(trees.next(false)).toBeNull();
  expect(trees.next(true)).toMatchObject({ tree: one, sends: true });
  expect(trees.next(true)).toBeNull();
});

test('what is announced is fetched between the rounds, and sent with the next one', () => {
  const trees = createTreesToDo();
  trees.setShared([one]);
  trees.noteAppended(one);
  trees.noteAnnounced([one]);
  expect(trees.next(false)).toMatchObject({ tree: one, sends: false, fetches: true });
  expect(trees.next(false)).toBeNull();
  expect(trees.next(true)).toMatchObject({ tree: one, sends: true, fetches: false });
});
