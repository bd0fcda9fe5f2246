import type { Content } from '../state/buffer.js';

/** Parses a stored message; null when the text is not one. */
export function parseContent(text: string): Content | null {
  const value = parseJson(text);
  if (!Array.isArray(value)) return null;
  const parts: (string | { paste: string })[] = [];
  for (const part of value) {
    if (typeof part === 'string') parts.push(part);
    else if (isPaste(part)) parts.push({ paste: part.paste });
    else return null;
  }
  return parts;
}

function isPaste(value: unknown): value is { paste: string } {
  return typeof value === 'object' && value !== null && 'paste' in value && typeof value.paste === 'string';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // no different from any other wrong content
  }
}
