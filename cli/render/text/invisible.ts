/**
 * Signs that are drawn as nothing, and those that reorder what stands around them: a line with them reads otherwise than it is.
 * Where a script or an emoji needs one it stays; anywhere else its number is shown.
 */
const HIDDEN = /[\p{DI}\ufff9-\ufffb]/gu;
export const HIDDEN_SIGN = /[\p{DI}\ufff9-\ufffb]/u;

// Arabic and Indic scripts say with a joiner how the letter before it is drawn.
const JOINING = [
  ...['Arabic', 'Syriac', 'Mandaic', 'Nko', 'Mongolian', 'Phags_Pa', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati'],
  ...['Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const VOWEL_SIGNS = '\\u064b-\\u065f\\u0670';
/** England, Scotland and Wales: the flags that are spelt with tags. */
const TAG_FLAGS = ['gbeng', 'gbsct', 'gbwls'].map(spelt);

/** What may stand before a sign that then belongs to it. */
const MEANT: readonly { sign: RegExp; after: RegExp }[] = [
  { sign: /[\u200c\u200d]/, after: new RegExp(`[${JOINING}${VOWEL_SIGNS}](?<!\\p{DI})$`, 'u') },
  { sign: /\u200d/, after: /(?:\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})$/u },
  { sign: /[\ufe0e\ufe0f]/, after: /\p{Emoji}$/u },
  { sign: /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u, after: /\p{Script=Han}$/u },
  { sign: /[\u180b-\u180f]/, after: /\p{Script=Mongolian}(?<!\p{DI})$/u },
  // A syllable of old Hangul without a vowel of its own.
  { sign: /\u1160/, after: /[\u1100-\u115e]$/ },
];

/** The longest that is looked at before a sign: a flag and its tags. */
const BEFORE_LENGTH = 16;

/** The text with its hidden signs shown as `<U+200B>`. `before` is the end of the text that it goes on from. */
export function showHidden(text: string, before = ''): string {
  if (!HIDDEN_SIGN.test(text)) return text;
  return text.replace(HIDDEN, (sign, offset: number) => {
    const start = Math.max(0, offset - BEFORE_LENGTH);
    const context = (offset < BEFORE_LENGTH ? before : '') + text.slice(start, offset);
    return isMeant(sign, context) ? sign : `<U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** What of a text has to be known to go on from its end. */
export function endOf(text: string): string {
  return text.slice(-BEFORE_LENGTH);
}

function isMeant(sign: string, before: string): boolean {
  if (MEANT.some(({ sign: known, after }) => known.test(sign) && after.test(before))) return true;
  return TAG_FLAGS.some((flag) => {
    const at = before.lastIndexOf(BLACK_FLAG);
    return at >= 0 && flag.startsWith(before.slice(at) + sign);
  });
}

const BLACK_FLAG = '\u{1f3f4}';

function spelt(letters: string): string {
  const tags = Array.from(letters, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
  return `\u{1f3f4}${tags.join('')}\u{e007f}`;
}
