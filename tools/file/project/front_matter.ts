/** A text of the front matter of a page, on one line; null for none. YAML as people write it: plain, quoted and block scalars. */
export function frontMatterText(page: string, field: string): string | null {
  const [fence, ...lines] = page.split(/\r?\n/);
  if (fence?.trimEnd() !== '---') return null;
  const head = lines.slice(0, Math.max(0, lines.map((line) => line.trimEnd()).indexOf('---')));
  const at = head.findIndex((line) => line.startsWith(`${field}:`) && /^($|\s)/.test(line.slice(field.length + 1)));
  const first = head[at]?.slice(field.length + 1).trim();
  if (first === undefined) return null;
  const below = head.slice(at + 1);
  const end = below.findIndex((line) => /^\S/.test(line));
  const rest = end < 0 ? below : below.slice(0, end);
  const isBlock = /^[>|][-+\d]*(\s+#.*)?$/.test(first);
  const text = isBlock ? rest.join('\n') : flowText([first, ...rest].join('\n'));
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line === '' ? null : line;
}

const WRITTEN: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t', '\n': '' };

/** What a plain or quoted scalar says, whose lines are folded by whoever asks. */
function flowText(scalar: string): string {
  const [, single] = /^'((?:[^']|'')*)'/.exec(scalar) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  const [, double] = /^"((?:[^"\\]|\\.)*)"/s.exec(scalar) ?? [];
  if (double === undefined) return scalar.replaceAll(/(^|\s)#.*$/gm, '');
  return double.replaceAll(/\\(x[\da-f]{2}|u[\da-f]{4}|.)/gis, (_, sign: string) =>
    sign.length > 1 ? String.fromCharCode(Number.parseInt(sign.slice(1), 16)) : (WRITTEN[sign] ?? sign),
  );
}
