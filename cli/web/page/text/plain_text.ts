const NAMED: ReadonlyMap<string, string> = new Map([
  ...([
    ['amp', '&'],
    ['lt', '<'],
    ['gt', '>'],
    ['quot', '"'],
    ['apos', "'"],
    ['nbsp', '\u00a0'],
  ] as const),
  ...([
    ['ndash', '–'],
    ['mdash', '—'],
    ['hellip', '…'],
    ['copy', '©'],
    ['rarr', '→'],
    ['larr', '←'],
  ] as const),
]);
const LAST_CODE_POINT = 0x10ffff;

/** The characters that references such as `&lt;` and `&#39;` stand for. */
export function withCharacters(text: string): string {
  return text.replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED.get(name) ?? whole;
    const code = Number(name.slice(1).replace(/^x/i, '0x'));
    return code > 0 && code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}

/** An address that a click may open; null for any other, such as one that runs a script. */
export function safeAddress(address: string): string | null {
  // A browser ignores control characters and blanks in the name of a scheme.
  const plain = Array.from(address, (sign) => (sign <= '\u0020' || (sign >= '\u007f' && sign <= '\u00a0') ? '' : sign));
  return /^(https?:\/\/|mailto:)/i.test(plain.join('')) ? address : null;
}
