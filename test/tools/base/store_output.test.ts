import { createHash, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { storeOutput } from '../../../tools/base/store_output.js';
import type { HubLink } from '../../../tools/base/tool_parts.js';
import { type TestHub, withHub } from '../../support/hub.js';

/** A link to the hub that counts calls. */
function counted({ client }: TestHub) {
  const count = { calls: 0 };
  const link: HubLink = {
    call(method, params, options) {
      count.calls += 1;
      return client.call(method, params, options);
    },
  };
  return { count, link };
}

test('many small pieces are stored in a few calls, unchanged', async () => {
  await withHub(async (hub) => {
    const { count, link } = counted(hub);
    const lines = Array.from({ length: 300_000 }, (_, at) => Buffer.from(`${at}\n`));
    const whole = Buffer.concat(lines);
    const sha256 = createHash('sha256').update(whole).digest('hex');
    const size_bytes = whole.length;
    expect(await storeOutput(link, randomUUID(), lines)).toEqual({ sha256, size_bytes, total_bytes: size_bytes });
    expect(count.calls).toBe(3);
    const one = await storeOutput(link, randomUUID(), [Buffer.alloc(0), whole, Buffer.alloc(0)]);
    expect([one?.sha256, count.calls]).toEqual([sha256, 6]);
  });
});

test('no bytes are stored as no output', async () => {
  await withHub(async (hub) => {
    const { count, link } = counted(hub);
    expect(await storeOutput(link, randomUUID(), [Buffer.alloc(0)])).toBeNull();
    expect(count.calls).toBe(0);
  });
});
