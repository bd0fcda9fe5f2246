import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { sentDepth } from '../../hub/base/path/sent_path.js';
import type { Client } from '../../hub/client/client.js';
import type { NodeId } from '../../hub/protocol/node.js';
import { CURRENT_TREE, command, type Input, NODE_WORDS } from '../command_line/command.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { writeJsonArray } from '../output/sink.js';
import { positionOf } from '../position/position.js';
import { findTree } from '../position/reference.js';
import { callTextOf, isSilent } from '../render/node/node_text.js';
import { renderPathEntry } from '../render/node/path_entry.js';
import { cleanLine } from '../render/text/clean.js';
import { formatBytes, formatNumber, shortId } from '../render/text/ids_and_counts.js';
import { printModelContext } from '../reports/print_model_context.js';
import { pathOf, type ResolveChoice, type ResolvedNode, resolvedPath } from '../reports/resolved_path.js';

/** What others have named is told by so many of the first, each cut. */
const NAMED_MAX = 5;
const NAMED_LENGTH_MAX = 100;

export const contextCommand = command({
  name: 'context',
  summary: 'Print the path from the root to a node: what a model would be sent.',
  details:
    'Commands, files, pages and queries are shown with what they gave when they were run or attached. Long texts are shown as an excerpt of their head and tail. What stands before a summary is marked: a model is not sent it.',
  arguments: [
    CURRENT_TREE,
    { name: 'node', required: false, description: `${NODE_WORDS}; where you stand when left out`, completes: 'node' },
  ],
  flags: [
    { name: 'full', short: null, description: 'all of every text, and of every stored output' },
    { name: 'fresh', short: null, description: 'what files, pages and queries give now, and how it differs' },
    {
      name: 'others',
      short: null,
      description: 'with --fresh, also what those name that came with a file or from another hub',
    },
    { name: 'model', short: null, description: 'exactly what a model would be sent, and how much that is' },
  ],
  paged: true,
  examples: [
    { line: 'cognition context', does: 'prints the branch that you are on' },
    { line: 'cognition context @ 5e6f7a8b --full', does: 'prints another branch of it, without excerpts' },
    { line: 'cognition context --fresh', does: 'tells which attached files have changed' },
    { line: 'cognition context --model --json', does: 'prints what a model would be sent, as data' },
  ],
  async run(input, context) {
    const options = { full: input.flag('full'), fresh: input.flag('fresh'), others: input.flag('others') };
    refuseConflict(input);
    const tree = await findTree(context, input.argument('tree') ?? '@', 'read');
    const node = await positionOf(context, tree, input.argument('node'));
    if (options.fresh && !options.others) await noteOthers(context, node);
    if (input.flag('model')) await printModelContext(context, node);
    else if (context.json) await printNodes(context, node, options);
    else await printPath(context, node, options);
    return EXIT.ok;
  },
});

function refuseConflict(input: Input<string, 'full' | 'fresh' | 'others' | 'model', never>): void {
  if (input.flag('others') && !input.flag('fresh')) {
    throw new HubError('invalid_params', '--others goes with --fresh', { hint: 'what was seen then is shown of all' });
  }
  if (!input.flag('model') || !(input.flag('full') || input.flag('fresh'))) return;
  throw new HubError('invalid_params', '--model goes with neither --full nor --fresh', {
    hint: 'it shows exactly what is sent: all of it, and as it was',
  });
}

async function printPath(context: Context, node: NodeId, options: ResolveChoice): Promise<void> {
  const client = await context.client();
  const from = await sentFrom(client, node);
  let printed = 0;
  for await (const entry of resolvedPath(client, node, options)) {
    if (entry.node.role === 'root' || isSilent(entry.node)) continue;
    const look = await context.look([callTextOf(entry.node)]);
    const sent = entry.node.depth >= from;
    await context.out.write(renderPathEntry({ ...entry, sent, full: options.full }, look));
    if (options.full) noteCut(context, entry);
    printed += 1;
  }
  if (printed === 0) context.note('Nothing has been said up to here.');
}

/** Even --full leaves out what does not fit one frame. */
function noteCut(context: Context, { node, resolved }: ResolvedNode): void {
  if (resolved === null || resolved.left_out_bytes === 0) return;
  const size = formatBytes(resolved.left_out_bytes);
  const id = shortId(node.id);
  context.note([`${size} of ${id} are left out; all of it: `, cliCommand('output', id)]);
}

/** As JSON, handles are resolved only with --full or --fresh: their contents can be large. */
async function printNodes(context: Context, node: NodeId, options: ResolveChoice): Promise<void> {
  const client = await context.client();
  const from = await sentFrom(client, node);
  await writeJsonArray(context.out, options.full || options.fresh ? resolvedNodes() : plainNodes());

  async function* plainNodes(): AsyncGenerator<unknown> {
    for await (const one of pathOf(client, node)) yield { ...one, sent: one.depth >= from };
  }

  async function* resolvedNodes(): AsyncGenerator<unknown> {
    for await (const { node: one, resolved } of resolvedPath(client, node, options)) {
      yield { ...one, sent: one.depth >= from, resolved };
    }
  }
}

/** Whoever made a node elsewhere has chosen which file, page or query of this machine it names. */
async function noteOthers(context: Context, node: NodeId): Promise<void> {
  const client = await context.client();
  const named: string[] = [];
  for await (const { handle, imported } of client.pages('loom.context_get_handles', { node }, 'handles'))
    if (imported) named.push(cleanLine([...handle.identifier].slice(0, NAMED_LENGTH_MAX).join('')));
  if (named.length === 0) return;
  const more = named.length > NAMED_MAX ? `, and ${formatNumber(named.length - NAMED_MAX)} more` : '';
  context.note(
    `Not looked at again is what came with a file or from another hub: ${named.slice(0, NAMED_MAX).join(', ')}${more}. With --others it is.`,
  );
}

/** The depth from which on a model is sent a path, which is read twice rather than held. */
async function sentFrom(client: Client, node: NodeId): Promise<number> {
  let depth = 0;
  for await (const one of pathOf(client, node)) depth = sentDepth(depth, one);
  return depth;
}
