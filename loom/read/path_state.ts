import type { ReadContext } from '../paging/read_context.js';
import { SLICE_ROWS, type Slices } from '../paging/slices.js';
import { requireNode } from '../store/require_rows.js';
import { dashed } from '../store/rows.js';
import type { ReadParams } from './read_methods.js';
import { pathTo } from './walk_path.js';

const COMMANDS_MAX = 50;
/** Commands further up the path are ignored: nobody remembers what they changed. */
const NODES_MAX = 2_000;

/** The calls among these nodes that were made here, with the working directory after each. */
export const CALLS_AT = `
  SELECT n.seq, lower(hex(n.id)) AS id, n.external ->> '$.cwd' AS cwd,
    n.external ->> '$.call.tool' = 'bash' AS is_bash, n.external ->> '$.call.id' IS NULL AS is_persons
  FROM json_each(?) list CROSS JOIN nodes n ON n.seq = list.value
  WHERE json_valid(n.external) AND n.imported = 0`;

interface PathPlace {
  person_cwd: string | null;
  model_cwd: string | null;
  commands: string[];
}

/** The working directories at a node, a person's and a model's, and the commands that a person ran on the path to it. */
export function* getPathPlace(context: ReadContext, params: ReadParams['loom.context_get_place']): Slices<string> {
  const path = yield* pathTo(context, requireNode(context.store, params.node).seq);
  const place: PathPlace = { person_cwd: null, model_cwd: null, commands: [] };
  for (let end = path.length; end > 0; end -= SLICE_ROWS) {
    const hasCommands = place.commands.length >= COMMANDS_MAX || path.length - end >= NODES_MAX;
    if (place.person_cwd !== null && place.model_cwd !== null && hasCommands) break;
    const slice = JSON.stringify(path.slice(Math.max(0, end - SLICE_ROWS), end));
    for (const row of context.store.all<CallRow>(CALLS_AT, slice).reverse())
      takeCall(context, place, { ...row, is_bash: hasCommands ? 0 : row.is_bash });
    yield;
  }
  // A model begins where the person is.
  return JSON.stringify({ ...place, model_cwd: place.model_cwd ?? place.person_cwd });
}

/** Adds what a call says of the place, unless its node is damaged. */
function takeCall({ sound, store }: ReadContext, place: PathPlace, row: CallRow): void {
  const folder = row.is_persons === 1 ? 'person_cwd' : 'model_cwd';
  const isCommand = row.is_bash === 1 && row.is_persons === 1 && place.commands.length < COMMANDS_MAX;
  const isWanted = isCommand || (place[folder] === null && row.cwd !== null);
  if (!isWanted || sound.damagedAmong(store, [row.seq]).size > 0) return;
  place[folder] ??= row.cwd;
  if (isCommand) place.commands.push(dashed(row.id));
}

/** The settings of the first answer in this list of nodes. */
export const FIRST_SETTINGS = `
  SELECT lower(hex(s.sha256)) AS sha256, s.untrusted
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
    const newest = context.store.get<{ sha256: string; untrusted: number }>(FIRST_SETTINGS, JSON.stringify(upwards));
    if (newest?.untrusted === 1) return JSON.stringify({ settings: null, untrusted: newest.sha256 });
    if (newest !== undefined) return JSON.stringify({ settings: newest.sha256, untrusted: null });
    yield;
  }
  return JSON.stringify({ settings: null, untrusted: null });
}

interface CallRow {
  seq: number;
  id: string;
  cwd: string | null;
  is_bash: number;
  is_persons: number;
}
