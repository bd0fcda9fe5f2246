import { frame } from '../raw_socket.mjs';
import type { Chance } from './chance.js';
import type { Method } from './valid_params.js';

/** What these do reaches beyond the hub's home: none of their calls may be valid, whatever else is wrong with it. */
export const REACHING = /^(bash|file|http|postgres|agent|plugins|context|tools)\.|^loom\.backup$|^health\.stop$/;
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '\0',
  '\u{e0041}',
  'length',
];
const ODD_TEXTS = [
  '',
  '\0',
  '\ud800',
  '\udfff\ud800',
  'é\u0301',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '\u202e',
  '../../..',
  '/',
  '%',
  "'; --",
  '[',
  'x'.repeat(10_000),
];
const ODD_NUMBERS = [0, -1, 0.1, 1e308, 2 ** 53, -(2 ** 63), 2 ** 31];
const ODD_PROTOCOLS = ['1.0', '', null, 2, '2.0 '];

/** JSON that is nearly a call. */
interface NearCall {
  text: string;
  /** Whether its bytes may be changed: what comes of that must not reach beyond the hub's home. */
  mayChange: boolean;
}

/** The bytes of one message, and whether the caller goes away after it. */
export interface Message {
  bytes: Buffer;
  ends: boolean;
}

/** Makes messages that are nearly calls. */
export function messageMaker(chance: Chance, methods: readonly Method[]): (id: number) => Message {
  return (id) => {
    const { text, mayChange } = jsonText(chance, methods, id);
    const payload = mayChange && chance.is(0.4) ? changed(chance, Buffer.from(text)) : Buffer.from(text);
    const sent = (bytes: Buffer): Message => ({ bytes, ends: false });
    const pings = (): Buffer => Buffer.concat(Array<Buffer>(chance.below(100)).fill(frame('ping', { opcode: 9 })));
    const tooLong = payload.length + chance.below(1_000_000);
    return chance.oneOf<Message>(
      [
        [0.1, () => sent(inFragments(chance, payload))],
        [0.01, () => sent(frame(payload, { opcode: chance.below(16) }))],
        [0.005, () => sent(frame(payload, { masked: false }))],
        [0.005, () => sent(changed(chance, frame(mayChange ? payload : '{}')))],
        [0.005, () => ({ bytes: frame(payload, { length: tooLong }), ends: true })],
        [0.005, () => sent(pings())],
        [0.005, () => ({ bytes: frame(payload), ends: true })],
      ],
      () => sent(frame(payload)),
    );
  };
}

function jsonText(chance: Chance, methods: readonly Method[], id: number): NearCall {
  const one = callText(chance, methods, id);
  const batch = (): string =>
    `[${Array.from({ length: chance.below(110) }, () => callText(chance, methods, id).text).join(',')}]`;
  const fixed = (text: string): NearCall => ({ text, mayChange: false });
  return chance.oneOf(
    [
      [0.02, () => fixed(batch())],
      [0.02, () => fixed('['.repeat(chance.below(300)) + one.text)],
      // The same key twice: the later one counts.
      [0.03, () => fixed(one.text.replace('"params":', '"params":{"a":1},"params":{"not":1},"x":'))],
      [0.02, () => fixed(one.text.replace('"params":{', '"params":{"__proto__":{"polluted":"yes"},'))],
    ],
    () => one,
  );
}

function callText(chance: Chance, methods: readonly Method[], id: number): NearCall {
  const { name, params: valid } = chance.pick(methods) ?? { name: '', params: () => ({}) };
  const isReaching = REACHING.test(name);
  let params: unknown = valid();
  for (let twists = chance.below(3); twists > 0; twists -= 1) params = twist(chance, params);
  const message = {
    jsonrpc: chance.is(0.05) ? chance.pick(ODD_PROTOCOLS) : '2.0',
    method: name,
    params: isReaching ? refused(params) : params,
    ...(chance.is(0.9) ? { id: chance.is(0.02) ? odd(chance) : id } : {}),
  };
  return { text: JSON.stringify(message), mayChange: !isReaching };
}

/** `not` is a parameter of no method. */
function refused(params: unknown): object {
  return typeof params === 'object' && !Array.isArray(params) ? { ...params, not: 1 } : { not: 1 };
}

function odd(chance: Chance): unknown {
  const made: (() => unknown)[] = [
    () => null,
    () => chance.is(0.5),
    () => chance.pick(ODD_NUMBERS),
    () => chance.pick(ODD_TEXTS),
    () => [],
    () => ({ [chance.pick(ODD_KEYS) ?? '']: { polluted: 'yes' } }),
    () => Array.from({ length: chance.below(200) }, () => chance.pick(ODD_TEXTS)),
  ];
  return chance.pick(made)?.();
}

/** Puts something odd somewhere into a value. */
function twist(chance: Chance, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || chance.is(0.15)) return odd(chance);
  if (Array.isArray(value)) return [...value.slice(1), twist(chance, value[0])];
  const entries = Object.entries(value);
  const [key, inner] = chance.pick(entries) ?? [chance.pick(ODD_KEYS) ?? '', null];
  return chance.oneOf<unknown>(
    [
      [0.2, () => ({ ...value, [chance.pick(ODD_KEYS) ?? '']: odd(chance) })],
      [0.2, () => Object.fromEntries(entries.filter(([other]) => other !== key))],
    ],
    () => ({ ...value, [key]: twist(chance, inner) }),
  );
}

/** Bytes of which some are missing, added or others. */
function changed(chance: Chance, bytes: Buffer): Buffer {
  const at = chance.below(bytes.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const ways: (() => Buffer)[] = [
    () => before,
    () => Buffer.concat([before, after.subarray(1 + chance.below(4))]),
    () => Buffer.concat([before, Buffer.from([chance.below(256)]), after]),
    () => Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << chance.below(8))]), after.subarray(1)]),
  ];
  return chance.pick(ways)?.() ?? bytes;
}

function inFragments(chance: Chance, bytes: Buffer): Buffer {
  const at = chance.below(bytes.length);
  const ping = chance.is(0.5) ? frame('between', { opcode: 9 }) : Buffer.alloc(0);
  const last = frame(bytes.subarray(at), { opcode: 0, fin: chance.is(0.9) });
  return Buffer.concat([frame(bytes.subarray(0, at), { fin: false }), ping, last]);
}
