import type { IUnicodeVersionProvider } from '@xterm/headless';
import stringWidth from 'string-width';

const JOINER = 0x200d;
const EMOJI_VARIANT = 0xfe0f;
const AFTER_JOINER = 1;
const HALF_FLAG = 2;

/** How modern terminals measure: a grapheme cluster takes the cells of one character. */
export const CLUSTERS: IUnicodeVersionProvider = {
  version: 'clusters',
  wcwidth: (point) => widthOf(point),
  charProperties(point, preceding) {
    const before = { state: preceding >> 3, width: (preceding >> 1) & 3 };
    if (isFlagHalf(point)) {
      return before.state === HALF_FLAG ? properties(0, 2, true) : properties(HALF_FLAG, 2, false);
    }
    if (point === EMOJI_VARIANT && before.width > 0) return properties(0, 2, true);
    const isPart = widthOf(point) === 0 || isSkinTone(point) || before.state === AFTER_JOINER;
    const state = point === JOINER ? AFTER_JOINER : 0;
    return isPart && preceding !== 0
      ? properties(state, Math.max(before.width, widthOf(point)), true)
      : properties(state, widthOf(point), false);
  },
};

/** As the emulator packs them. */
function properties(state: number, width: number, joins: boolean): number {
  return (state << 3) | (width << 1) | Number(joins);
}

function widthOf(point: number): 0 | 1 | 2 {
  const width = stringWidth(String.fromCodePoint(point));
  if (width === 0) return 0;
  return width === 1 ? 1 : 2;
}

function isFlagHalf(point: number): boolean {
  return point >= 0x1f1e6 && point <= 0x1f1ff;
}

function isSkinTone(point: number): boolean {
  return point >= 0x1f3fb && point <= 0x1f3ff;
}
