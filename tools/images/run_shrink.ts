import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { IMAGE_BYTES_MAX } from '../base/image.js';

/** The longest side that models make use of; servers make larger images smaller themselves. */
const SIDE_MAX = 1_568;
/** More would take gigabytes to decode. */
const PIXELS_MAX = 300_000_000;
const LINE_FEED = 0x0a;

/** What is used of sharp. */
interface Sharp {
  metadata(): Promise<{ format?: string }>;
  rotate(): Sharp;
  resize(options: object): Sharp;
  flatten(options: object): Sharp;
  jpeg(options: object): Sharp;
  png(): Sharp;
  toBuffer(): Promise<Buffer>;
}

type OpenImage = (bytes: Buffer, options: object) => Sharp;

/** Reads a line that says where the library is, then an image; writes the image as models take it. */
async function main(): Promise<void> {
  const input = await buffer(process.stdin);
  const at = input.indexOf(LINE_FEED);
  const { modules }: { modules: string } = JSON.parse(input.toString('utf8', 0, at));
  const sharp: OpenImage = createRequire(join(modules, 'beside.cjs'))('sharp');
  const open = (): Sharp => sharp(input.subarray(at + 1), { limitInputPixels: PIXELS_MAX, sequentialRead: true });
  const fitted = (): Sharp =>
    open().rotate().resize({ width: SIDE_MAX, height: SIDE_MAX, fit: 'inside', withoutEnlargement: true });
  const asPhoto = (): Promise<Buffer> => fitted().flatten({ background: '#ffffff' }).jpeg({ quality: 85 }).toBuffer();
  const { format } = await open().metadata();
  const first = format === 'jpeg' ? await asPhoto() : await fitted().png().toBuffer();
  process.stdout.write(first.length > IMAGE_BYTES_MAX ? await asPhoto() : first);
}

await main().catch((error: unknown) => {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
