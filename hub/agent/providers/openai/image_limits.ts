import type { ImageLimits } from '../blocks/images.js';

export const OPENAI_IMAGE_LIMITS: ImageLimits = {
  charactersMax: 20 * 1024 * 1024,
  totalCharactersMax: 40 * 1024 * 1024,
  sideMax: 16_000,
  few: 20,
  sideMaxOfMany: 8_000,
  countMax: 100,
};
