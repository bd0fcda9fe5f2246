/**
 * RFC 8785 JSON: keys in the order of their UTF-16 units, no blanks, numbers and strings as ECMAScript prints
 * them. Lone surrogates become U+FFFD, because SQLite would change them.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(wellFormed(value));
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') return canonicalObject(value);
  return JSON.stringify(value);
}

function canonicalObject(value: object): string {
  const fields: string[] = [];
  for (const [key, field] of Object.entries(value).sort(byUtf16Units)) {
    if (field !== undefined) fields.push(`${JSON.stringify(wellFormed(key))}:${canonicalJson(field)}`);
  }
  return `{${fields.join(',')}}`;
}

function byUtf16Units([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}

const loneSurrogate = /\p{Surrogate}/gu;

function wellFormed(text: string): string {
  return text.replace(loneSurrogate, '\uFFFD');
}
