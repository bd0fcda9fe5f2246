import type { Output } from '../../hub/protocol/node.js';
import type { HubLink } from '../base/parts.js';
import type { Found } from './query_session.js';
import { countRow, type RowCounts, rowsBeyond } from './row_lines.js';

const PIECE_BYTES = 1024 * 1024;

/** What a node recorded of a query. */
interface Recorded {
  rows: number;
  columns: readonly string[];
  output: Output | null;
}

/** What a query finds now. */
type Now = Found & { lines: readonly string[] };

/** Tells how the rows differ from those that were stored, whatever their order; null when they do not. */
export async function whatChanged(hub: HubLink, then: Recorded, now: Now): Promise<string | null> {
  const before: RowCounts = new Map();
  for await (const line of storedLines(hub, then.output)) countRow(before, line);
  const after: RowCounts = new Map();
  for (const line of now.lines) countRow(after, line);
  const added = rowsBeyond(after, before);
  const removed = rowsBeyond(before, after);
  const said: string[] = [];
  if (then.columns.join('\n') !== now.columns.join('\n')) {
    said.push(`the columns are ${now.columns.join(', ')} instead of ${then.columns.join(', ')}`);
  }
  if (added + removed > 0) {
    const limit = now.cut === null ? '' : ', of those that were read';
    said.push(`${now.rows.length} rows instead of ${then.rows}: ${added} added, ${removed} removed${limit}`);
  }
  return said.length === 0 ? null : said.join('; ');
}

/** The rows of a stored output, one line each, with its line feed. */
async function* storedLines(hub: HubLink, output: Output | null): AsyncGenerator<string> {
  if (output === null) return;
  let rest = Buffer.alloc(0);
  for (let offset = 0; offset < output.size_bytes; offset += PIECE_BYTES) {
    const { data } = await hub.call('loom.blob_read', { sha256: output.sha256, offset, limit: PIECE_BYTES });
    rest = Buffer.concat([rest, Buffer.from(data, 'base64')]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end + 1).toString();
      rest = rest.subarray(end + 1);
    }
  }
}
