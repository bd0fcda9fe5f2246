import type { Ruler } from './ruler.js';
import type { Style } from './style.js';

/** The characters that drawings are made of. */
export interface Glyphs {
  tee: string;
  corner: string;
  bar: string;
  blank: string;
  here: string;
  arrow: string;
  ellipsis: string;
}

export const UNICODE: Glyphs = {
  tee: '├── ',
  corner: '└── ',
  bar: '│   ',
  blank: '    ',
  here: '●',
  arrow: '→',
  ellipsis: '…',
};

/** For terminals without Unicode. */
export const ASCII: Glyphs = {
  tee: '|-- ',
  corner: '`-- ',
  bar: '|   ',
  blank: '    ',
  here: '*',
  arrow: '->',
  ellipsis: '...',
};

/** How to draw: all that a renderer gets beside its data. */
export interface Look {
  /** Columns that a line may take; Infinity where lines are not cut. */
  width: number;
  style: Style;
  glyphs: Glyphs;
  ruler: Ruler;
  /** The current time, for ages. */
  nowMs: number;
}
