/** The type and size of an image. */
export interface ImageFacts {
  media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
  width: number;
  height: number;
}

/** Makes an image smaller that is too large for models. Where that cannot be done here, the hint says what is missing. */
export type ShrinkImage = (bytes: Buffer, signal: AbortSignal) => Promise<Buffer>;

/** The largest that is made smaller. */
export const SHRUNK_BYTES_MAX = 64 * 1024 * 1024;

/** The limit of models: 5 MiB in base64. */
export const IMAGE_BYTES_MAX = 3_932_160;
/** The longest side. */
const IMAGE_PIXELS_MAX = 8_000;
const SEGMENTS_MAX = 10_000;

/** Recognises an image by its bytes, never by its name; null for anything else, and for a broken header. */
export function imageFacts(bytes: Buffer): ImageFacts | null {
  const facts = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes);
  return facts !== null && facts.width > 0 && facts.height > 0 ? facts : null;
}

/** Why an image cannot be shown to a model; null when it can. */
export function imageProblem(facts: ImageFacts, sizeBytes: number): string | null {
  if (sizeBytes > IMAGE_BYTES_MAX) {
    return `it has ${sizeBytes.toLocaleString('en')} bytes, and a model takes ${IMAGE_BYTES_MAX.toLocaleString('en')}`;
  }
  if (Math.max(facts.width, facts.height) <= IMAGE_PIXELS_MAX) return null;
  return `it is ${facts.width}×${facts.height} pixels, and a model takes ${IMAGE_PIXELS_MAX} at a side`;
}

function png(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 24 || bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return null;
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { media_type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gif(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return null;
  return { media_type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

// https://developers.google.com/speed/webp/docs/riff_container
function webp(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF') return null;
  if (bytes.toString('latin1', 8, 12) !== 'WEBP') return null;
  const media_type = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { media_type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { media_type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { media_type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

// A chain of segments: 0xff, marker, length. The size stands in the frame header, SOF0 to SOF15.
function jpeg(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 4 || bytes.readUIntBE(0, 3) !== 0xffd8ff) return null;
  let at = 2;
  for (let segments = 0; segments < SEGMENTS_MAX && at + 9 <= bytes.length; segments += 1) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (isFrame(marker)) {
      return { media_type: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += segmentBytes(bytes, at, marker);
  }
  return null;
}

function segmentBytes(bytes: Buffer, at: number, marker: number): number {
  if (marker === 0xff) return 1; // padding
  const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
  return isAlone ? 2 : 2 + bytes.readUInt16BE(at + 2);
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
