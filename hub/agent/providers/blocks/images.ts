import type { Image, LoadImage } from '../../model/provider.js';

/** The images that a server accepts. */
export interface ImageLimits {
  /** Characters of one image in base64, and of all images in one request. */
  charactersMax: number;
  totalCharactersMax: number;
  /** Pixels along one side, while a request has no more than `few` images, and with more. */
  sideMax: number;
  few: number;
  sideMaxOfMany: number;
  countMax: number;
}

export type SentImage =
  | { kind: 'image'; mediaType: Image['media_type']; base64: string }
  | { kind: 'text'; text: string };

/**
 * Loads the images of one request in their order. One that a server would refuse becomes a line for the model. Each is judged
 * by itself and those before it, never by those after it: what was sent once is sent again in every longer request.
 */
export function imageSender(load: LoadImage, limits: ImageLimits): (image: Image) => Promise<SentImage> {
  let count = 0;
  let total = 0;
  let largestSide = 0;
  return async (image) => {
    const leftOut = (why: string): SentImage => ({ kind: 'text', text: `[an image is left out: ${why}]` });
    const side = Math.max(image.width, image.height);
    const isMany = count >= limits.few;
    const sideMax = isMany ? limits.sideMaxOfMany : limits.sideMax;
    if (count >= limits.countMax) return leftOut(`there are ${limits.countMax} before it, and no more can be sent`);
    if (side > sideMax) return leftOut(`${image.width} × ${image.height} pixels; a side may have ${sideMax}`);
    if (isMany && largestSide > sideMax)
      return leftOut(`with an image as large as one before it only ${limits.few} can be sent`);
    const bytes = await load(image);
    if (bytes === null) return leftOut('it is no longer stored');
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    if (base64.length > limits.charactersMax) return leftOut(`${bytes.length} bytes are too many`);
    if (total + base64.length > limits.totalCharactersMax)
      return leftOut('together with those before it it is too large');
    count += 1;
    total += base64.length;
    largestSide = Math.max(largestSide, side);
    return { kind: 'image', mediaType: image.media_type, base64 };
  };
}
