import { lineChanges } from '../base/text_changes.js';
import type { ContentChange, NewContent } from './change_file.js';
import { recordedText } from './change_file.js';
import { decode, type Encoding, encode, type LineEnds, markOf, withLineEnds } from './content/encoding.js';
import type { OldContent } from './content/old_content.js';
import { shownPath } from './path/file_errors.js';
import { sizeOf } from './read_content.js';

const PLAIN: Encoding = { name: 'utf-8', markBytes: 0 };

/** Replaces a file's content, in the encoding and with the line ends of the old one. */
export function writeChange(path: string, content: string): ContentChange {
  return {
    tool: 'write',
    input: { path, ...recordedText('content', content) },
    change: (old) => writeContent(path, content, old),
  };
}

function writeContent(path: string, content: string, old: OldContent | null): NewContent {
  const encoding = old?.encoding ?? PLAIN;
  const ends: LineEnds = old?.ends === 'crlf' ? 'crlf' : 'none';
  const hasMark = content.startsWith('\uFEFF');
  const mark = hasMark ? Buffer.alloc(0) : markOf(encoding);
  const bytes = Buffer.concat([mark, encode(withLineEnds(content, ends), encoding)]);
  const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
  const size = `${lines === 1 ? '1 line' : `${lines} lines`}, ${sizeOf(bytes.length)}`;
  const facts = { lines, encoding: encoding.name, line_ends: ends === 'crlf' ? 'crlf' : 'as given' };
  return { bytes, text: writeSummary({ path, size, bytes, old }), facts };
}

function writeSummary({
  path,
  size,
  bytes,
  old,
}: {
  path: string;
  size: string;
  bytes: Buffer;
  old: OldContent | null;
}) {
  const name = shownPath(path);
  if (old === null) return `[made ${name}: ${size}]`;
  if (old.bytes?.equals(bytes)) return `[${name} has exactly this content already: ${size}]`;
  const lineEnds = old.ends === 'crlf' ? '; its lines end with CRLF as before' : '';
  if (old.bytes === null) return `[wrote ${name}: ${size}, in place of ${sizeOf(old.sizeBytes)}${lineEnds}]`;
  const changes = lineChanges(decode(old.bytes, old.encoding), decode(bytes, old.encoding));
  const counts = changes === null ? '' : `; lines added: ${changes.added}, removed: ${changes.removed}`;
  return `[wrote ${name}: ${size}${counts}${lineEnds}]`;
}
