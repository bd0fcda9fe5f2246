import type { Output } from '../../hub/protocol/node.js';
import type { HubLink } from '../base/tool_parts.js';
import type { QueryResult } from './query_session.js';
import { countRow, type RowCounts, rowsBeyond } from './row_lines.js';

const PIECE_BYTES = 1024 * 1024;

/** The recorded result of a query. */
interface QueryRecord {
  rows: number;
  columns: readonly string[];
  output: Output | null;
}

/** The result of a fresh query. */
type CurrentResult = QueryResult & { lines: readonly string[] };

/** Describes how the rows differ from the stored ones, in any order; null when they do not. */
export async function describeRowChanges(hub: HubLink, then: QueryRecord, now: CurrentResult): Promise<string | null> {
  const before: RowCounts = new Map();
  for await (const line of storedLines(hub, then.output)) countRow(before, line);
  const after: RowCounts = new Map();
  for (const line of now.lines) countRow(after, line);
  const added = rowsBeyond(after, before);
  const removed = rowsBeyond(before, after);
  const changes: string[] = [];
  if (then.columns.join('\n') !== now.columns.join('\n')) {
    changes.push(`the columns are ${now.columns.join(', ')} instead of ${then.columns.join(', ')}`);
  }
  if (added + removed > 0) {
    const limit = now.cut === null ? '' : ', of those that were read';
    changes.push(`${now.rows.length} rows instead of ${then.rows}: ${added} added, ${removed} removed${limit}`);
  }
  return changes.length === 0 ? null : changes.join('; ');
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
