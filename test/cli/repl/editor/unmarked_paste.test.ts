import { expect, test } from 'vitest';
import type { Key } from '../../../../cli/repl/editor/keys/key.js';
import { createKeyDecoder } from '../../../../cli/repl/editor/keys/key_decoder.js';
import { createUnmarkedPastes } from '../../../../cli/repl/editor/unmarked_paste.js';

/** What is pasted by these pieces when they come without marks, one right after the other. */
function pasted(...pieces: string[]): Promise<string> {
  const decoder = createKeyDecoder();
  return new Promise((resolve) => {
    const pastes = createUnmarkedPastes((key) => resolve(key.kind === 'key' ? key.name : key.text), false);
    for (const piece of pieces) expect(pastes.take(decoder.take(piece)), piece).toBe(true);
  });
}

/** Whether the keys of this piece are those of a person. */
function isTyped(...pieces: string[]): boolean {
  const decoder = createKeyDecoder();
  const pastes = createUnmarkedPastes(() => undefined, false);
  return pieces.map((piece) => pastes.take(decoder.take(piece))).at(-1) === false;
}

test('lines that come together are one paste, with its last line end', async () => {
  expect(await pasted('one\rtwo\rthree')).toBe('one\ntwo\nthree');
  expect(await pasted('one\r\ntwo\r\n')).toBe('one\ntwo\n');
  expect(await pasted('if x:\r\tdo\r\rend\r')).toBe('if x:\n\tdo\n\nend\n');
});

test('what follows at once belongs to it, however it is cut', async () => {
  expect(await pasted('one\rtw', 'o\r', '\r', 'three')).toBe('one\ntwo\n\nthree');
  expect(await pasted('one\rtwo\r', '\nthree\r')).toBe('one\ntwo\nthree\n');
});

test('a line and its Enter were typed, and so was what holds other keys', () => {
  expect(isTyped('one\r')).toBe(true);
  expect(isTyped('\r\r')).toBe(true);
  expect(isTyped('\rone')).toBe(true);
  expect(isTyped('one\ntwo\r')).toBe(true);
  expect(isTyped('one\rtwo\x1b[A')).toBe(true);
  expect(isTyped('one\rtwo\x03')).toBe(true);
});

test('another key ends a paste, which comes before it', () => {
  const told: Key[] = [];
  const pastes = createUnmarkedPastes((key) => told.push(key), false);
  const decoder = createKeyDecoder();
  pastes.take(decoder.take('one\rtwo'));
  expect(told).toEqual([]);
  expect(pastes.take(decoder.take('\x1b[A'))).toBe(false);
  expect(told).toEqual([{ kind: 'paste', text: 'one\ntwo' }]);
});

test('in a terminal that marks its pastes everything else was typed', () => {
  expect(isTyped('\x1b[200~a\x1b[201~', 'one\rtwo\r')).toBe(true);
});

test('where the terminal is known to mark its pastes nothing is put together', () => {
  const pastes = createUnmarkedPastes(() => undefined, true);
  expect(pastes.take(createKeyDecoder().take('one\rtwo\rthree'))).toBe(false);
});
