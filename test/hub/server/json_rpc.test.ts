import { describe, expect, test } from 'vitest';
import { HubError } from '../../../hub/base/error.js';
import { cliCommand, hintText } from '../../../hub/base/hint.js';
import type { Handlers } from '../../../hub/base/plugin.js';
import { RawJson } from '../../../hub/base/plugin.js';
import { FRAME_BYTES_MAX } from '../../../hub/protocol/limits.js';
import { type RawCaller, withServer } from '../serving.js';

const tree = '00000000-0000-4000-8000-000000000001';

const loom: Handlers = {
  'loom.tree_get': async ({ tree }) => new RawJson(`{"got":${JSON.stringify(tree)}}`),
  'loom.settings_get': async () => new RawJson(`"${'ü'.repeat(FRAME_BYTES_MAX / 2)}"`),
  'loom.mark_list': async () => ({ marks: [], cursor: null }),
  'loom.tree_find': async ({ ref }) => {
    throw new HubError('not_found', `there is no tree ${ref}`, { hint: 'run: cognition list' });
  },
  'loom.tree_list': async () => {
    throw new TypeError('the canary sits in a message\nand in its second line');
  },
};

/** Sends one frame and returns the one answer. */
async function exchange(frame: unknown) {
  return withServer(loom, async ({ dial }) => {
    const caller = await dial();
    caller.send(frame);
    return caller.next();
  });
}

const request = (method: string, params: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

async function refusal(frame: unknown): Promise<string> {
  const { error } = await exchange(frame);
  return `${error?.code} ${error?.data.kind}: ${error?.message} (${hintText(error?.data.hint ?? 'null')})`;
}

describe('an answer', () => {
  test('repeats the id and splices JSON text in as it is', async () => {
    expect(await exchange(request('loom.tree_get', { tree }, 'a"b'))).toEqual({
      jsonrpc: '2.0',
      id: 'a"b',
      result: { got: tree },
    });
  });

  test('has a plugin’s own error with its hint', async () => {
    expect(await refusal(request('loom.tree_find', { ref: 'x' }))).toBe(
      '-32001 not_found: there is no tree x (run: cognition list)',
    );
  });

  test('that fits no frame is refused in its place', async () => {
    expect(await refusal(request('loom.settings_get', { sha256: 'a'.repeat(64) }, 5))).toBe(
      '-32007 limit: the answer is larger than the 33554432 bytes of a frame (ask for less at a time: use a smaller limit, or smaller batches)',
    );
  });

  test('is not given to a notification, even a wrong one', async () => {
    const answers = await withServer(loom, async ({ dial }) => {
      const caller = await dial();
      caller.send({ jsonrpc: '2.0', method: 'loom.tree_get', params: { tree } });
      caller.send({ jsonrpc: '2.0', method: 'loom.tree_find', params: { ref: 'x' } });
      caller.send({ jsonrpc: '2.0', method: 'nowhere' });
      caller.send(request('loom.mark_list', { tree }, 'last'));
      return caller.next();
    });
    expect(answers.id).toBe('last');
  });

  test('to an unexpected failure hides it and points at the log, which has no second line of the message', async () => {
    await withServer(loom, async ({ dial, lines }) => {
      const caller = await dial();
      caller.send(request('loom.tree_list', {}));
      const { error } = await caller.next();
      expect(error?.message).toBe('the hub failed unexpectedly while it served loom.tree_list');
      expect(error?.data.hint).toEqual(['the reason is in its log: ', cliCommand('hub logs')]);
      expect(lines.join('\n')).toContain('error loom.tree_list failed unexpectedly: TypeError: the canary sits');
      expect(lines.join('\n')).not.toContain('second line');
    });
  });
});

describe('a malformed message is refused:', () => {
  const cases: [title: string, frame: unknown, answer: string][] = [
    [
      'what is not JSON',
      '{"jsonrpc":',
      '-32700 parse: the message is not JSON (send one JSON-RPC 2.0 message per frame)',
    ],
    ['an empty frame', '', '-32700 parse: the message is not JSON (send one JSON-RPC 2.0 message per frame)'],
    ['null', 'null', '-32600 invalid_request: the message is not an object'],
    ['a number', '17', '-32600 invalid_request: the message is not an object'],
    ['another protocol', { id: 1, method: 'x' }, '-32600 invalid_request: the message is not of "jsonrpc": "2.0"'],
    [
      'a method that is no text',
      { ...request('x', {}), method: 7 },
      '-32600 invalid_request: the message names no method',
    ],
    ['an id that is an object', request('x', {}, {}), '-32600 invalid_request: the id is neither'],
    ['an id of 300 letters', request('x', {}, 'i'.repeat(300)), '-32600 invalid_request: the id is neither'],
    ['params that are text', request('x', 'y'), '-32600 invalid_request: the params are not an object'],
    ['an empty batch', '[]', '-32600 invalid_request: the batch is empty (put at least one call into it)'],
    ['a batch of 101', Array.from({ length: 101 }, () => 1), '-32007 limit: a batch has at most 100 calls, not 101'],
    [
      '101 levels',
      '['.repeat(101) + ']'.repeat(101),
      '-32600 invalid_request: the message is nested more than 100 levels deep',
    ],
    [
      '500,000 levels',
      `{"a":${'['.repeat(500_000)}`,
      '-32600 invalid_request: the message is nested more than 100 levels deep',
    ],
    [
      '100,001 objects',
      `[${'{},'.repeat(100_000)}{}]`,
      '-32007 limit: the message has more than 100000 lists and objects',
    ],
    [
      '100,002 numbers',
      `[${'1,'.repeat(100_001)}1]`,
      '-32007 limit: the message has more than 100000 commas between its values',
    ],
  ];
  test.each(cases)('%s', async (_title, frame, answer) => {
    expect(await refusal(frame)).toContain(answer);
  });
});

describe('a call is refused with the nearest that would do:', () => {
  const cases: [title: string, frame: unknown, answer: string][] = [
    [
      'an unknown method',
      request('loom.tre_get', {}),
      '-32601 method_not_found: there is no method "loom.tre_get" (did you mean loom.tree_get?)',
    ],
    [
      'one of the hub’s own',
      request('loom.turn_start', {}),
      '-32601 method_not_found: there is no method "loom.turn_start"',
    ],
    [
      'a name of the language',
      request('__proto__', {}),
      '-32601 method_not_found: there is no method "__proto__" (rpc.discover lists every method)',
    ],
    ['another', request('constructor', {}), '-32601 method_not_found: there is no method "constructor"'],
    [
      'a wrong id',
      request('loom.tree_get', { tree: 'abc' }),
      '-32602 invalid_params: tree: must be a UUID in lower case (null)',
    ],
    [
      'a wrong type',
      request('loom.tree_get', { tree: 7 }),
      '-32602 invalid_params: tree: expected string, received number (null)',
    ],
    [
      'a missing field',
      request('loom.tree_get', undefined),
      '-32602 invalid_params: tree: expected string, received undefined (null)',
    ],
    [
      'an unknown field',
      request('loom.tree_get', { tree, tre: 1 }),
      '-32602 invalid_params: there is no field "tre" (did you mean tree?)',
    ],
    [
      'a list of params',
      request('loom.tree_get', [tree]),
      '-32602 invalid_params: expected object, received array (null)',
    ],
    [
      'a page too large',
      request('loom.mark_list', { tree, limit: 1e9 }),
      '-32602 invalid_params: limit: too big: expected number to be <=1000 (null)',
    ],
  ];
  test.each(cases)('%s', async (_title, frame, answer) => {
    expect(await refusal(frame)).toContain(answer);
  });
});

describe('a batch', () => {
  async function batch(calls: unknown[], after: (caller: RawCaller) => void = () => undefined) {
    return withServer(loom, async ({ dial }) => {
      const caller = await dial();
      caller.send(calls);
      after(caller);
      return caller.next();
    });
  }

  test('is answered as a list, also when it has one call', async () => {
    expect(await batch([request('loom.tree_get', { tree })])).toEqual([
      { jsonrpc: '2.0', id: 1, result: { got: tree } },
    ]);
  });

  test('answers each of 100 calls, the wrong ones among them, and no notification', async () => {
    const calls = Array.from({ length: 98 }, (_, id) => request('loom.tree_get', { tree }, id));
    const answers = await batch([...calls, 'nonsense', { jsonrpc: '2.0', method: 'loom.tree_get', params: { tree } }]);
    expect(answers).toHaveLength(99);
    expect(answers).toContainEqual(
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
    );
  });

  test('of notifications only is not answered', async () => {
    const notification = { jsonrpc: '2.0', method: 'loom.tree_get', params: { tree } };
    const answer = await batch([notification, notification], (caller) =>
      caller.send(request('loom.mark_list', { tree }, 'next')),
    );
    expect(answer).toMatchObject({ id: 'next' });
  });
});

describe('a frame', () => {
  async function closing(send: (caller: RawCaller) => void): Promise<number> {
    return withServer(loom, async ({ dial }) => {
      const caller = await dial();
      send(caller);
      return caller.closed;
    });
  }

  test('of bytes instead of text closes the connection with 1003', async () => {
    expect(await closing(({ socket }) => socket.send(Buffer.from('{}')))).toBe(1003);
  });

  test('that is not UTF-8 closes the connection with 1007', async () => {
    expect(await closing(({ socket }) => socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false }))).toBe(1007);
  });

  test('that is too large closes the connection with 1009', async () => {
    expect(await closing(({ send }) => send(`"${'x'.repeat(FRAME_BYTES_MAX)}"`))).toBe(1009);
  });

  test('with keys of the language changes no prototype', async () => {
    const evil = `{"jsonrpc":"2.0","id":1,"method":"loom.tree_get","params":{"tree":"${tree}","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}`;
    expect(await refusal(evil)).toContain('invalid_params: there is no field');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
