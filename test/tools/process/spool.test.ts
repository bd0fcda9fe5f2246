import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSpool, openSpool, type Spool } from '../../../tools/process/spool.js';
import { withFolder } from '../../support/hub.js';

const withSpool = (keptBytesMax: number, use: (spool: Spool, path: string) => void) =>
  withFolder(async (folder) => {
    const path = join(folder, 'spool');
    const spool = createSpool(path, keptBytesMax);
    use(spool, path);
    spool.close();
  });

const text = (spool: Spool): string => Buffer.concat([...spool.pieces()]).toString();

test('output within the limit is kept whole', () =>
  withSpool(10, (spool) => {
    spool.write('stdout', Buffer.from('01234'));
    spool.write('stderr', Buffer.from('56789'));
    expect(text(spool)).toBe('0123456789');
    expect([spool.totalBytes(), spool.channelBytes(), spool.headBytes()]).toEqual([10, { stdout: 5, stderr: 5 }, null]);
    expect(String(spool.ends(3, 4).head)).toBe('012');
    expect(String(spool.ends(3, 4).tail)).toBe('6789');
  }));

test('a command that prints nothing creates no file', () =>
  withSpool(10, (spool, path) => {
    expect([spool.totalBytes(), spool.at(0), text(spool), existsSync(path)]).toEqual([0, null, '', false]);
    expect(openSpool(path)).toBe(null);
    spool.write('stdout', Buffer.from('0'));
    expect(existsSync(path)).toBe(true);
  }));

test('when no file can be created the spool says so, and keeps counting', () =>
  withFolder(async (folder) => {
    const spool = createSpool(join(folder, 'nowhere', 'spool'), 10);
    spool.write('stderr', Buffer.from('0123'));
    spool.write('stdout', Buffer.from('4'));
    expect([spool.totalBytes(), text(spool), spool.headBytes(), spool.at(0)]).toEqual([5, '', 0, { goneBytes: 5 }]);
    expect(spool.problem()).toContain('ENOENT');
    spool.discard();
    spool.close();
  }));

test('above the limit head and tail are kept, however the output is cut into pieces', () =>
  withFolder(async (folder) => {
    const whole = Array.from({ length: 300 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');
    for (const size of [1, 3, 7, 50, 300]) {
      const spool = createSpool(join(folder, String(size)), 20);
      for (let at = 0; at < whole.length; at += size) spool.write('stdout', Buffer.from(whole.slice(at, at + size)));
      expect([size, text(spool)]).toEqual([size, whole.slice(0, 10) + whole.slice(-10)]);
      expect(spool.headBytes()).toBe(10);
      expect(String(spool.ends(100, 4).head)).toBe(whole.slice(0, 10));
      expect(String(spool.ends(100, 4).tail)).toBe(whole.slice(-4));
      spool.close();
    }
  }));

test('a reader can continue after the spool was closed, and learns which bytes were freed', () =>
  withFolder(async (folder) => {
    const spool = createSpool(join(folder, 'spool'), 100);
    spool.write('stdout', Buffer.from('abc'));
    spool.hold();
    spool.close();
    expect(spool.at(1)).toEqual({ from: 'stdout', offset: 1, bytes: Buffer.from('bc') });
    spool.discard();
    expect(spool.at(1)).toEqual({ goneBytes: 2 });
    spool.close();
  }));

test('reading at an offset returns the channel, and the number of lost bytes', () =>
  withSpool(8, (spool) => {
    const pieceAt = (offset: number) => {
      const piece = spool.at(offset);
      if (piece === null || 'goneBytes' in piece) return piece;
      return [piece.from, String(piece.bytes)];
    };
    spool.write('stdout', Buffer.from('ab'));
    spool.write('stderr', Buffer.from('cdefg'));
    expect([0, 1, 2, 4, 7].map(pieceAt)).toEqual([
      ...[
        ['stdout', 'ab'],
        ['stdout', 'b'],
        ['stderr', 'cd'],
        ['stderr', 'efg'],
      ],
      null,
    ]);
    spool.write('stdout', Buffer.from('hijkl'));
    expect(pieceAt(4)).toEqual({ goneBytes: 4 });
    expect(pieceAt(8)).toEqual(['stdout', 'ijkl']);
  }));

test('the spool of a killed process is read as far as it was written', () =>
  withSpool(100, (spool, path) => {
    spool.write('stdout', Buffer.from('abc'));
    spool.write('stderr', Buffer.from('def'));
    // Bytes that there was no time to count.
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from('ghi')]));
    const left = openSpool(path);
    expect(left === null ? null : [text(left), left.channelBytes()]).toEqual(['abcdefghi', { stdout: 6, stderr: 3 }]);
    left?.close();
    truncateSync(path, 30);
    expect(openSpool(path)).toBe(null);
  }));
