/** What a text says that somebody else may have written; null for what is no JSON. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // no different from any other wrong content
  }
}
