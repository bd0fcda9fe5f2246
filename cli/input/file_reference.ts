/** A file's reference in a message: `@path`, quoted where it could end too early. The quotes of a folder stay open. */
export function fileReference(path: string): string {
  if (!/[\s"]|[,.;:!?)\]}'`]$/.test(path)) return `@${path}`;
  const quoted = `@"${path.replace(/["\\]/g, '\\$&')}`;
  return path.endsWith('/') ? quoted : `${quoted}"`;
}

const BEFORE = '(?<=^|[\\s([{<"\'`,;:])';
const QUOTED = '"(?<quoted>(?:[^"\\\\\\n]|\\\\.)*)';
const REFERENCE = new RegExp(`${BEFORE}@(?:${QUOTED}"|(?<bare>[^\\s"]*[^\\s",.;:!?)\\]}'\`]))`, 'gu');
const OPEN_REFERENCE = new RegExp(`${BEFORE}@(?:${QUOTED}|(?<bare>[^\\s"]*))$`, 'u');
// Longer paths are not completed: only so much before the cursor is read at every key.
const LENGTH_MAX = 512;

/** The files that a message names. */
export function fileReferences(text: string): string[] {
  return Array.from(text.matchAll(REFERENCE), ({ groups }) => pathOf(groups));
}

/** The file reference that is being typed before the cursor, and the offset of its `@`. */
export function openFileReference(text: string, cursor: number): { start: number; query: string } | null {
  const tail = text.slice(Math.max(0, cursor - LENGTH_MAX), cursor);
  const match = OPEN_REFERENCE.exec(tail);
  return match === null ? null : { start: cursor - tail.length + match.index, query: pathOf(match.groups) };
}

function pathOf(groups: Record<string, string> | undefined): string {
  const quoted = groups?.quoted;
  return quoted === undefined ? (groups?.bare ?? '') : quoted.replace(/\\(.)/g, '$1');
}
