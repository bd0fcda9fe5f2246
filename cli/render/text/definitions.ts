import type { Look } from '../look/look.js';
import { pad } from './cut.js';
import { wrapWords } from './wrap_words.js';

/** A word, and what it means. */
export type Definition = readonly [term: string, meaning: string];

/** Words this long or shorter have their meaning beside them. */
const TERM_COLUMNS_MAX = 24;
const GAP = '  ';
/** Where there is less room than this for the meaning, it stands below the word. */
const MEANING_COLUMNS_MIN = 30;
const MEANING_COLUMNS_MAX = 80;

/** Lists words with their meanings: beside them where both fit into the width, else below and indented. */
export function definitions(list: readonly Definition[], look: Look): string {
  const { ruler } = look;
  const lengths = list.map(([term]) => ruler.width(term)).filter((length) => length <= TERM_COLUMNS_MAX);
  const beside = Math.max(0, ...lengths) + GAP.length;
  const isNarrow = look.width - beside < MEANING_COLUMNS_MIN;
  const indent = isNarrow ? GAP.length : beside;
  const room = Math.max(1, Math.min(look.width - indent, MEANING_COLUMNS_MAX));
  return list
    .map(([term, meaning]) => {
      const rows = wrapWords(meaning, room, ruler).map(({ text }) => `${' '.repeat(indent)}${text}`.trimEnd());
      const isBeside = !isNarrow && ruler.width(term) <= TERM_COLUMNS_MAX;
      const [first = '', ...rest] = rows;
      const lines = isBeside ? [pad(term, indent, ruler) + first.trimStart(), ...rest] : [term, ...rows];
      return lines.map((line) => `${line.trimEnd()}\n`).join('');
    })
    .join('');
}
