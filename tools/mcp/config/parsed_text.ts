/** What a text comes to; null for one that is not understood, which its reader tells. */
export function parsedText(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return null; // its reader tells it
  }
}
