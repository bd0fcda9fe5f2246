import { deflateSync } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
const LINE_BYTES = 52;
const LETTERS = 26;
const WORD_BYTES = 4;
const WORD_DIGITS = 5;

/** A content as git writes it in a binary patch: compressed, in base 85, each line after a letter for its length. */
export function binaryHunk(content: Buffer): string {
  const packed = deflateSync(content);
  let text = `literal ${content.length}\n`;
  for (let at = 0; at < packed.length; at += LINE_BYTES) text += lineOf(packed.subarray(at, at + LINE_BYTES));
  return `${text}\n`;
}

function lineOf(bytes: Buffer): string {
  const { length } = bytes;
  const letter = length <= LETTERS ? 'A'.charCodeAt(0) + length - 1 : 'a'.charCodeAt(0) + length - LETTERS - 1;
  const padded = Buffer.alloc(Math.ceil(length / WORD_BYTES) * WORD_BYTES);
  bytes.copy(padded);
  let line = String.fromCharCode(letter);
  for (let at = 0; at < padded.length; at += WORD_BYTES) line += wordOf(padded.readUInt32BE(at));
  return `${line}\n`;
}

function wordOf(value: number): string {
  let left = value;
  let word = '';
  for (let count = 0; count < WORD_DIGITS; count += 1) {
    word = (DIGITS[left % DIGITS.length] ?? '') + word;
    left = Math.floor(left / DIGITS.length);
  }
  return word;
}
