const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\x07': '\\a', '\b': '\\b', '\t': '\\t', '\n': '\\n', '\v': '\\v', '\f': '\\f', '\r': '\\r' },
  ...{ '"': '\\"', '\\': '\\\\' },
};

/** A path, a byte string, as git writes it in a patch: in quotes where a byte in it is not plain. */
export function quotedName(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names may have them
  if (/^[^\x00-\x1f"\\\x7f-\xff]*$/.test(path)) return path;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names may have them
  const escaped = path.replace(/[\x00-\x1f"\\\x7f-\xff]/g, (byte) => {
    return ESCAPES[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `"${escaped}"`;
}
