import type { ReadContext } from '../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../paging/slices.js';
import { requireNode } from '../store/require_rows.js';
import { dashed } from '../store/rows.js';
import type { ReadParams } from './read_methods.js';
import { pathTo } from './walk_path.js';

const COMMANDS_MAX = 50;
/** Commands further up the path are ignored: nobody remembers what they changed. */
const NODES_MAX = 2_000;

/** The calls among these nodes, with the working directory after each. */
export const CALLS_AT = `
  SELECT lower(hex(n.id)) AS id, n.external ->> '$.cwd' AS cwd,
    n.external ->> '$.call.tool' = 'bash' AND n.external ->> '$.call.id' IS NULL AS is_command
  FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value
  WHERE n.external IS NOT NULL`;

/** The working directory at a node, and the commands that a person ran on the path to it. */
export function* getPathPlace(context: ReadContext, params: ReadParams['loom.context_get_place']): Slices<string> {
  const path = yield* pathTo(context, requireNode(context.store, params.node).seq);
  let cwd: string | null = null;
  const commands: string[] = [];
  for (let end = path.length; end > 0; end -= SLICE_ROWS) {
    const hasCommands = commands.length >= COMMANDS_MAX || path.length - end >= NODES_MAX;
    if (cwd !== null && hasCommands) break;
    const slice = JSON.stringify(path.slice(Math.max(0, end - SLICE_ROWS), end));
    for (const row of context.store.all<CallRow>(CALLS_AT, slice).reverse()) {
      cwd ??= row.cwd;
      if (row.is_command === 1 && commands.length < COMMANDS_MAX) commands.push(dashed(row.id));
    }
    yield;
  }
  return JSON.stringify({ cwd, commands });
}

/** The settings of the first answer in this list of nodes. */
export const FIRST_SETTINGS = `
  SELECT lower(hex(s.sha256)) AS sha256
  FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value CROSS JOIN settings s ON s.settings = n.settings
  WHERE n.role = 'assistant' LIMIT 1`;

/** The settings of the newest answer on the path to a node, read without the contents. */
export function* getPathSettings(
  context: ReadContext,
  params: ReadParams['loom.context_get_settings'],
): Slices<string> {
  const path = yield* pathTo(context, requireNode(context.store, params.node).seq);
  for (let end = path.length; end > 0; end -= SLICE_ROWS) {
    const upwards = path.slice(Math.max(0, end - SLICE_ROWS), end).reverse();
    const newest = context.store.get<{ sha256: string }>(FIRST_SETTINGS, JSON.stringify(upwards));
    if (newest !== undefined) return JSON.stringify({ settings: newest.sha256 });
    yield;
  }
  return JSON.stringify({ settings: null });
}

interface CallRow {
  id: string;
  cwd: string | null;
  is_command: number;
}
