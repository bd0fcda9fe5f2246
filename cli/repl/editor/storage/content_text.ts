import { jsonOrNull } from '../../../../hub/base/json/json_or_null.js';
import type { Content } from '../state/buffer.js';

/** Parses a stored message; null when the text is not one. */
export function parseContent(text: string): Content | null {
  const value = jsonOrNull(text);
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
