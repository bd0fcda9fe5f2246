import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { installedPackages } from '../../../hub/base/packages/installed_packages.js';
import { imageFacts } from '../../../tools/base/image.js';
import { createImageShrinker } from '../../../tools/images/shrink_image.js';
import { factsOf, OPEN, refused, storedOf, textOf, withFileTools } from './tool_calls.js';

/** A PNG of grey rows, or of noise. */
function png(width: number, height: number, isNoise = false): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const bytes = height * (1 + 3 * width);
  const rows = isNoise ? randomBytes(bytes) : Buffer.alloc(bytes);
  for (let row = 0; row < height; row += 1) rows[row * (1 + 3 * width)] = 0;
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 1 })), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

function chunk(name: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(name), data]);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

test('an image with too many pixels is shown with the longer side at 1,568, and stored like that', () =>
  withFileTools(async ({ client, put }) => {
    const file = png(9_000, 450);
    const path = await put('wide.png', file);
    const answer = await client.call('file.read', { path, policy: OPEN });
    const words = `[image/png, 9000×450 pixels, ${file.length.toLocaleString('en')} bytes: ${path}; shown smaller, 1568×78]`;
    const sha256 = answer.external.output?.sha256;
    expect(answer.blocks).toEqual([
      { type: 'text', text: words },
      { type: 'image', sha256, media_type: 'image/png', width: 1_568, height: 78 },
    ]);
    expect(imageFacts(await storedOf(client, answer))).toEqual({ media_type: 'image/png', width: 1_568, height: 78 });
    expect(factsOf(answer)).toMatchObject({ content: 'image', sha256, size_bytes: file.length });
  }));

test('an image with too many bytes becomes a photo, where less is not enough', () =>
  withFileTools(async ({ client, put }) => {
    const path = await put('noise.png', png(1_500, 1_400, true));
    const answer = await client.call('file.read', { path, policy: OPEN });
    expect(answer.blocks.at(-1)).toMatchObject({
      type: 'image',
      media_type: 'image/jpeg',
      width: 1_500,
      height: 1_400,
    });
    expect((await storedOf(client, answer)).length).toBeLessThan(3_932_160);
  }));

test('an image that would take gigabytes to decode is refused, and the next one shown', () =>
  withFileTools(async ({ client, put }) => {
    const bomb = png(3, 2);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
    const path = await put('bomb.png', bomb);
    const { message } = await refused(client.call('file.read', { path, policy: OPEN }));
    expect(message).toMatch(
      /60000×60000 pixels, and a model takes 8000 at a side; it could not be made smaller: .*pixel limit/,
    );
    const next = await put('next.png', png(8_100, 8));
    expect((await client.call('file.read', { path: next, policy: OPEN })).blocks).toHaveLength(2);
  }));

test('what decodes images sees nothing of the person, and has no network', () =>
  withFileTools(async ({ client, put, home, folder }) => {
    const { sandbox } = await client.call('bash.open', {
      cwd: folder,
      environment: null,
      policy: { kind: 'contained', network: false, writable: [], readable: [] },
    });
    if (sandbox === 'none' || sandbox === 'sandbox-exec') return;
    const place = join(home, 'packages/node_modules/sharp');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), '{"name":"sharp","main":"index.js"}');
    const secret = await put('secret.txt', 'a secret');
    // Stands for a library that hostile bytes have taken over.
    const takenOver = `
      const fs = require('node:fs');
      const tries = {
        reads: () => fs.readFileSync(${JSON.stringify(secret)}),
        home: () => fs.readdirSync(${JSON.stringify(dirname(home))}),
        writes: () => fs.writeFileSync(${JSON.stringify(join(folder, 'made'))}, 'x'),
        library: () => fs.writeFileSync(__filename, 'x'),
        network: () => { if (Object.keys(require('node:os').networkInterfaces()).some((name) => name !== 'lo')) return; throw 1; },
      };
      const worked = Object.keys(tries).filter((name) => { try { tries[name](); return true; } catch { return false; } });
      module.exports = () => { throw new Error('worked: [' + worked.join(' ') + ']'); };`;
    writeFileSync(join(place, 'index.js'), takenOver);
    const path = await put('wide.png', png(9_000, 2));
    const { message } = await refused(client.call('file.read', { path, policy: OPEN }));
    expect(message).toMatch(/worked: \[\]$/);
    expect(textOf(await client.call('file.read', { path: secret, policy: OPEN }))).toBe('a secret');
  }));

test('without the library the hint says how it is installed', async () => {
  const packages = installedPackages('/opt/cognition/packages', []);
  const sandbox = {
    report: () => Promise.reject(new Error('not tried')),
    wrap: () => Promise.reject(new Error('not tried')),
    openNetwork: () => Promise.resolve(null),
  };
  const shrink = createImageShrinker({ sandbox, packages, sessionsFolder: '/nowhere' });
  await expect(shrink(png(9_000, 2), new AbortController().signal)).rejects.toMatchObject({
    message: 'the package sharp is not installed',
    hint: 'install it: npm install --prefix /opt/cognition/packages sharp',
  });
});
