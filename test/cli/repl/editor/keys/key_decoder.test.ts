import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Key } from '../../../../../cli/repl/editor/keys/key.js';
import { createKeyDecoder, PASTE_LENGTH_MAX } from '../../../../../cli/repl/editor/keys/key_decoder.js';
import { createKeyReader, type KeyReader } from '../../../../../cli/repl/editor/keys/key_reader.js';

const ALONE = '\x1b';

/** Names keys as people do: `ctrl+left`, and text in quotes. */
function named(keys: readonly Key[]): string[] {
  return keys.map((key) => {
    if (key.kind !== 'key') return key.kind === 'text' ? `'${key.text}'` : `paste '${key.text}'`;
    const held = [key.ctrl ? 'ctrl+' : '', key.alt ? 'alt+' : '', key.shift ? 'shift+' : ''];
    return held.join('') + key.name;
  });
}

function decoded(...pieces: string[]): string[] {
  const decoder = createKeyDecoder();
  return named([...pieces.flatMap((piece) => decoder.take(piece)), ...decoder.flush()]);
}

/** Texts that follow each other as one: where they were cut says nothing. */
function joined(keys: readonly Key[]): Key[] {
  const all: Key[] = [];
  for (const key of keys) {
    const last = all.at(-1);
    if (key.kind === 'text' && last?.kind === 'text')
      all[all.length - 1] = { kind: 'text', text: last.text + key.text };
    else all.push(key);
  }
  return all;
}

/** What the reader tells of bytes that a terminal sends in these pieces. */
async function read(pieces: readonly Uint8Array[]): Promise<Key[]> {
  const keys: Key[] = [];
  const input = new PassThrough().setEncoding('utf8');
  const reader = readerOf((told) => keys.push(...told));
  input.on('data', reader.take);
  for (const piece of pieces) {
    input.write(piece);
    await new Promise(setImmediate);
  }
  reader.take('\x04');
  reader.stop();
  expect(named(keys.slice(-1))).toEqual(['ctrl+d']);
  return keys.slice(0, -1);
}

function readerOf(keys: (keys: readonly Key[]) => void): KeyReader {
  return createKeyReader({ keys, pasting: () => undefined });
}

test.each([
  ['a', "'a'"],
  ['A', "'A'"],
  ['\r', 'enter'],
  ['\n', 'ctrl+j'],
  ['\t', 'tab'],
  ['\x7f', 'backspace'],
  ['\b', 'backspace'],
  ['\0', 'ctrl+space'],
  ['\x1f', 'ctrl+_'],
  ['\x1b\r', 'alt+enter'],
  ['\x1b\n', 'alt+enter'],
  ['\x1b[13;2u', 'shift+enter'],
  ['\x1b[27;2;13~', 'shift+enter'],
  ['\x1b[13;3u', 'alt+enter'],
  ['\x1b[1;5D', 'ctrl+left'],
  ['\x1bOd', 'ctrl+left'],
  ['\x1b[1;3C', 'alt+right'],
  ['\x1b\x1b[C', 'alt+right'],
  ['\x1b[1;9C', 'right'],
  ['\x1b[1;33C', 'alt+right'],
  ['\x1b[d', 'shift+left'],
  ['\x1b[H', 'home'],
  ['\x1bOH', 'home'],
  ['\x1b[1~', 'home'],
  ['\x1b[7~', 'home'],
  ['\x1b[F', 'end'],
  ['\x1bOF', 'end'],
  ['\x1b[4~', 'end'],
  ['\x1b[8~', 'end'],
  ['\x1b[3~', 'delete'],
  ['\x1b[3;5~', 'ctrl+delete'],
  ['\x1b[3^', 'ctrl+delete'],
  ['\x1b[Z', 'shift+tab'],
  ['\x1bb', 'alt+b'],
  ['\x1bB', 'alt+shift+b'],
  ['\x1b\x7f', 'alt+backspace'],
  ['\x1b\x02', 'ctrl+alt+b'],
  ['\x1bé', 'alt+é'],
  ['\x1b ', 'alt+space'],
  ['\x1b[97;5u', 'ctrl+a'],
  ['\x1b[97;2u', "'A'"],
  ['\x1b[27u', 'escape'],
  ['\x1b[57414u', 'enter'],
  ['\x1b[57417u', 'left'],
  ['\x1b[57404u', "'5'"],
  ['\x1b[57413u', "'+'"],
  ['\x1b[57415u', "'='"],
  ['\x1b[49:33;2u', "'!'"],
  ['\x1b[1092::97;5u', 'ctrl+a'],
  ['\x1b[91;5u', 'escape'],
  ['\x1b[109;5u', 'enter'],
  ['\x1b[105;5u', 'tab'],
  ['\x1b[55;5u', 'ctrl+_'],
  ['\x1b[97;69u', 'ctrl+a'],
  ['\x1bOM', 'shift+enter'],
  ['\x1b\t', 'shift+tab'],
  ['\x1b[7$', 'shift+home'],
  [ALONE, 'escape'],
  ['\x1b[', 'alt+['],
  ['\x1b]', 'alt+]'],
  ['\x1bO', 'alt+shift+o'],
])('the code %j is the key %s', (code, name) => {
  expect(decoded(code)).toEqual([name]);
});

test.each([
  ['an answer about colours', '\x1b]11;rgb:1111/2222/3333\x1b\\'],
  ['a title that ends with a bell', '\x1b]0;title\x07'],
  ['an answer about what the terminal is', '\x1b[?62;1c'],
  ['an answer about where the cursor is', '\x1b[12;40R'],
  ['a focus report', '\x1b[I\x1b[O'],
  ['a mouse report', '\x1b[<0;12;3M'],
  ['an old mouse report', '\x1b[M !!'],
  ['a device string', '\x1bP1+r5463=1\x1b\\'],
  ['a sequence that begins with one byte', '\x9b31m'],
  ['a function key of the console', '\x1b[[A'],
  ['a key that was let go', '\x1b[97;1:3u'],
  ['a key without a character', '\x1b[57441u'],
  ['a letter with the logo key', '\x1b[97;9u'],
  ['an answer about a mode', '\x1b[?2026;2$y'],
  ['bytes that are no UTF-8', '\ufffd'],
  ['a stray end of a paste', '\x1b[201~'],
])('%s inserts nothing', (_, code) => {
  expect(decoded(`a${code}b`)).toEqual(["'ab'"]);
});

test('Esc twice is told twice', () => {
  expect(decoded('\x1b\x1b')).toEqual(['escape', 'escape']);
  expect(decoded('\x1b\x1ba')).toEqual(['escape', 'alt+a']);
});

test('Enter gets through a sequence that was never ended', () => {
  expect(decoded('\x1b]11;rgb', '\r')).toEqual(['enter']);
  expect(decoded('\x1b[12;', '\x03')).toEqual(['ctrl+c']);
});

test('an emoji of several code points is one insertion', () => {
  expect(decoded('a👨‍👩‍👧b')).toEqual(["'a👨‍👩‍👧b'"]);
});

test('a paste is one key with one kind of line end and no control characters', () => {
  expect(decoded('\x1b[200~one\r\ntwo\rthree\n\tfour\x1b[31m\x00\x1b[201~\r')).toEqual([
    "paste 'one\ntwo\nthree\n\tfour'",
    'enter',
  ]);
});

test('an end marker inside a paste does not end it', () => {
  expect(decoded('\x1b[200~one\x1b[201~\rtwo\x1b[201~three')).toEqual(["paste 'one\ntwo'", "'three'"]);
  expect(decoded('\x1b[200~one\x1b[201~\r\x1b[200~two\x1b[201~')).toEqual(["paste 'one'", 'enter', "paste 'two'"]);
});

test('a paste keeps the marks of scripts that are written from right to left', () => {
  expect(decoded('\x1b[200~\u2067שלום\u2069\x1b[31m \ufffd\x1b[201~')).toEqual(["paste '\u2067שלום\u2069 \ufffd'"]);
});

test('a paste keeps what would be hidden, which the editor draws', () => {
  const text = 'a\u200b\u{e0041}b\u2060\u00ad';
  expect(decoded(`\x1b[200~${text}\x1b[201~`)).toEqual([`paste '${text}'`]);
});

test('a paste that is never ended gives way to Ctrl-C', () => {
  expect(decoded('\x1b[200~half a pas', '\x03')).toEqual(["paste 'half a pas'", 'ctrl+c']);
});

test('a paste is cut at its longest', () => {
  const decoder = createKeyDecoder();
  decoder.take('\x1b[200~');
  const piece = 'x'.repeat(1024 * 1024);
  for (let count = 0; count < 12; count++) decoder.take(piece);
  const [key] = decoder.take('\x1b[201~');
  expect(key?.kind === 'paste' ? key.text.length : 0).toBe(PASTE_LENGTH_MAX);
});

const STREAM =
  'né👨‍👩‍👧\r\x1b[1;5D\x1b\x1b[A\x1bb\x1b\r\x1b[13;2u\x1b[27;2;13~\x1b[200~a\r\nb 漢\x1b[31m\x1b[20\x1b[201~\x1b]11;rgb:1/2\x1b\\\x1b[<0;1;2M\x1b[12;40Rz\x7f';
const STREAM_KEYS = [
  "'né👨‍👩‍👧'",
  'enter',
  'ctrl+left',
  'alt+up',
  'alt+b',
  'alt+enter',
  'shift+enter',
  'shift+enter',
  "paste 'a\nb 漢[20'",
  "'z'",
  'backspace',
];

test('bytes that are cut anywhere give the same keys', async () => {
  const bytes = Buffer.from(STREAM);
  for (let at = 1; at < bytes.length; at++) {
    const keys = await read([bytes.subarray(0, at), bytes.subarray(at)]);
    expect(named(joined(keys)), `cut at ${at}`).toEqual(STREAM_KEYS);
  }
  const keys = await read(Array.from(bytes, (byte) => Uint8Array.of(byte)));
  expect(named(joined(keys))).toEqual(STREAM_KEYS);
});

const CODES = fc.constantFrom(
  'a',
  'é',
  '漢',
  '👨‍👩‍👧',
  '\r',
  '\x1b[A',
  '\x1bb',
  '\x1b\x1b[C',
  '\x1b[200~x\r\ny\x1b[201~',
  '\x1b]0;t\x07',
  '\x1b[M !!',
);

test('any codes that are cut into any pieces give the same keys', () => {
  fc.assert(
    fc.property(fc.array(CODES), fc.array(fc.nat(12)), (codes, lengths) => {
      const text = codes.join('');
      const whole = createKeyDecoder().take(text);
      const decoder = createKeyDecoder();
      const keys: Key[] = [];
      let at = 0;
      for (const length of lengths) {
        keys.push(...decoder.take(text.slice(at, at + length)));
        at += length;
      }
      keys.push(...decoder.take(text.slice(at)));
      expect(joined(keys)).toEqual(joined(whole));
    }),
  );
});

test('no text holds a control character, whatever the terminal sends', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (pieces) => {
      const decoder = createKeyDecoder();
      const keys = [...pieces.flatMap((piece) => decoder.take(piece)), ...decoder.flush()];
      for (const key of keys) if (key.kind === 'text') expect(key.text).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test('Esc alone is told once the terminal sends nothing more', async () => {
  const keys = await new Promise<readonly Key[]>((resolve) => readerOf(resolve).take('\x1b'));
  expect(named(keys)).toEqual(['escape']);
});

test('a reader that was stopped tells nothing more', async () => {
  const keys: Key[] = [];
  const reader = readerOf((told) => keys.push(...told));
  reader.take('\x1b');
  reader.stop();
  reader.take('');
  expect(keys).toEqual([]);
});

test('a paste whose end does not come is told of, until Ctrl-C ends it', async () => {
  const told: string[] = [];
  await new Promise<void>((resolve) => {
    const reader = createKeyReader({
      keys: (keys) => told.push(...named(keys)),
      pasting(isPasting) {
        told.push(isPasting ? 'pasting' : 'over');
        if (isPasting) reader.take('\x03');
        else resolve();
      },
    });
    reader.take('\x1b[200~half a pas');
  });
  expect(told).toEqual(['pasting', 'over', "paste 'half a pas'", 'ctrl+c']);
});
