import { lineChanges } from '../base/text_changes.js';
import type { Change, Changing } from './change_file.js';
import { recorded } from './change_file.js';
import { decode, type Encoding, encode, type LineEnds, markOf, withLineEnds } from './content/encoding.js';
import type { OldContent } from './content/old_content.js';
import { sizeOf } from './look_at_file.js';
import { shownPath } from './path/file_errors.js';

const PLAIN: Encoding = { name: 'utf-8', markBytes: 0 };

/** Gives a file new content, written as the old one was. */
export function writing(path: string, content: string): Changing {
  return {
    tool: 'write',
    input: { path, ...recorded('content', content) },
    change: (old) => written(path, content, old),
  };
}

function written(path: string, content: string, old: OldContent | null): Change {
  const encoding = old?.encoding ?? PLAIN;
  const ends: LineEnds = old?.ends === 'crlf' ? 'crlf' : 'none';
  const hasMark = content.startsWith('\uFEFF');
  const mark = hasMark ? Buffer.alloc(0) : markOf(encoding);
  const bytes = Buffer.concat([mark, encode(withLineEnds(content, ends), encoding)]);
  const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
  const size = `${lines === 1 ? '1 line' : `${lines} lines`}, ${sizeOf(bytes.length)}`;
  const facts = { lines, encoding: encoding.name, line_ends: ends === 'crlf' ? 'crlf' : 'as given' };
  return { bytes, text: told({ path, size, bytes, old }), facts };
}

function told({ path, size, bytes, old }: { path: string; size: string; bytes: Buffer; old: OldContent | null }) {
  const name = shownPath(path);
  if (old === null) return `[made ${name}: ${size}]`;
  if (old.bytes?.equals(bytes)) return `[${name} has exactly this content already: ${size}]`;
  const kept = old.ends === 'crlf' ? '; its lines end with CRLF as before' : '';
  if (old.bytes === null) return `[wrote ${name}: ${size}, in place of ${sizeOf(old.sizeBytes)}${kept}]`;
  const changes = lineChanges(decode(old.bytes, old.encoding), decode(bytes, old.encoding));
  const counts = changes === null ? '' : `; lines added: ${changes.added}, removed: ${changes.removed}`;
  return `[wrote ${name}: ${size}${counts}${kept}]`;
}
