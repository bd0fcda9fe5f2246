/**
 * RFC 8785 JSON: keys in the order of their UTF-16 units, no blanks, numbers and strings as ECMAScript prints
 * them. Lone surrogates become U+FFFD, because SQLite would change them.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (Array.isArray(value)) return `[${listed(value.map(canonicalJson))}]`;
  if (value !== null && typeof value === 'object') return canonicalObject(value);
  return JSON.stringify(value);
}

function canonicalObject(value: object): string {
  const fields: string[] = [];
  for (const [key, field] of Object.entries(value).sort(byUtf16Units)) {
    if (field !== undefined) fields.push(`${JSON.stringify(key.toWellFormed())}:${canonicalJson(field)}`);
  }
  return `{${listed(fields)}}`;
}

/** Added up, not joined: that would copy a long text once for each level that it is nested in. */
function listed(parts: readonly string[]): string {
  let list = '';
  for (const part of parts) list += list === '' ? part : `,${part}`;
  return list;
}

function byUtf16Units([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}
