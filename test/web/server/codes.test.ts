import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createCodes } from '../../../cli/web/codes.js';
import { callAs, post, statusOf, upgrade, withPagePlace } from './page_place.js';

const enter = (code: string) => JSON.stringify({ code });

describe('a code', () => {
  test('is of 256 bits, and no two are alike', () => {
    const codes = createCodes(() => 0);
    const many = Array.from({ length: 100 }, () => codes.issue());
    expect(new Set(many).size).toBe(100);
    for (const code of many) expect(Buffer.from(code, 'base64url')).toHaveLength(32);
  });

  test('holds for two minutes', () => {
    let nowMs = 0;
    const codes = createCodes(() => nowMs);
    const [one, other] = [codes.issue(), codes.issue()];
    nowMs = 120_000;
    expect(codes.enter(one).kind).toBe('entered');
    nowMs = 120_001;
    expect(codes.enter(other)).toEqual({ kind: 'late' });
  });

  test('used twice ends the session that it opened, also long after', () =>
    withPagePlace(async (place) => {
      const code = place.newCode();
      const first = await place.send(post(place, { path: '/enter', body: enter(code) }));
      const key = /"key":"([\w-]+)"/.exec(first)?.[1] ?? '';
      const page = await place.page(key);
      const bystander = await place.page(await place.newKey());
      expect(statusOf(await place.send(post(place, { path: '/session', body: JSON.stringify({ key }) })))).toBe(200);
      place.setNowMs(100_000_000);
      const closed = once(page, 'close');
      const second = await place.send(post(place, { path: '/enter', body: enter(code) }));
      expect(statusOf(second)).toBe(401);
      expect(second).toContain('{"reason":"twice"}');
      expect(await closed).toMatchObject([4_001, expect.anything()]);
      expect(place.usedTwice()).toBe(1);
      expect(statusOf(await place.send(upgrade(place, key)))).toBe(401);
      expect(statusOf(await place.send(post(place, { path: '/session', body: JSON.stringify({ key }) })))).toBe(401);
      expect(await callAs(bystander, 'loom.tree_list', {})).toMatchObject({ result: { trees: [] } });
    }));

  test('that nobody has issued opens nothing and ends nothing', () =>
    withPagePlace(async (place) => {
      const key = await place.newKey();
      const answer = await place.send(post(place, { path: '/enter', body: enter('A'.repeat(43)) }));
      expect(answer).toContain('{"reason":"unknown"}');
      expect(place.usedTwice()).toBe(0);
      expect(statusOf(await place.send(upgrade(place, key), '\r\n\r\n'))).toBe(101);
    }));

  test('is not remembered for ever: the session of the oldest of a hundred ends', () => {
    const codes = createCodes(() => 0);
    const entered = codes.enter(codes.issue());
    const key = entered.kind === 'entered' ? entered.key : '';
    for (let more = 0; more < 99; more += 1) codes.issue();
    expect(codes.sessionOf(key)).not.toBeNull();
    codes.issue();
    expect(codes.sessionOf(key)).toBeNull();
  });
});

test.each([
  ['a key twice', '{"code":"a","code":"b"}'],
  ['a list', '["a"]'],
  ['a number', '{"code":1}'],
  ['more than a code', '{"code":"a","x":1}'],
  ['no JSON', 'code=a'],
  ['nothing', ''],
])('a body with %s is refused', (_, body) =>
  withPagePlace(async (place) => {
    expect(statusOf(await place.send(post(place, { path: '/enter', body: body })))).toBe(400);
  }),
);
