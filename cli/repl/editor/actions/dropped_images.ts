import { fileURLToPath } from 'node:url';
import { fileReference } from '../../../input/file_reference.js';

// Longer pastes are no dropped files.
const LENGTH_MAX = 16_384;
const IMAGE = /\.(?:jpe?g|png|gif|webp|heic|heif|avif|bmp|tiff?)$/i;
/** A shell word: bare characters, escaped ones, and quoted parts. */
const WORD = /(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gsu;
const PART = /(?<bare>[^\s'"\\]+)|\\(?<escaped>.)|'(?<plain>[^']*)'|"(?<quoted>(?:[^"\\]|\\.)*)"/gsu;
const ESCAPED_IN_QUOTES = /\\([\\"$`])/g;

/**
 * What to write for images that were dropped onto the terminal, which pastes their paths, quoted in its own way.
 * Null when the paste is anything else.
 */
export function droppedImages(paste: string, exists: (path: string) => boolean): string | null {
  const text = paste.trim();
  if (text === '' || text.length > LENGTH_MAX || !IMAGE.test(text.replace(/['"]$/, ''))) return null;
  const isImage = (path: string): boolean => path.startsWith('/') && IMAGE.test(path) && exists(path);
  // Some terminals quote nothing, whatever the name holds.
  const paths = isImage(text) ? [text] : pathsIn(text);
  return paths?.every(isImage) === true ? paths.map((path) => `${fileReference(path)} `).join('') : null;
}

/** Null for a text that is not a list of shell words. */
function pathsIn(text: string): string[] | null {
  if (text.replace(WORD, '').trim() !== '') return null;
  return Array.from(text.matchAll(WORD), ([word]) => pathOf(word));
}

function pathOf(word: string): string {
  const path = Array.from(word.matchAll(PART), ({ groups }) => {
    const { bare, escaped, plain, quoted } = groups ?? {};
    return bare ?? escaped ?? plain ?? quoted?.replace(ESCAPED_IN_QUOTES, '$1') ?? '';
  }).join('');
  return path.startsWith('file://') ? pathOfUrl(path) : path;
}

function pathOfUrl(text: string): string {
  // A file URL with a foreign host names no local file.
  const local = text.replace(/^file:\/\/[^/]*/, 'file://');
  return URL.canParse(local) && !/%(?:2f|(?![0-9a-f]{2}))/i.test(local) ? fileURLToPath(local) : text;
}
