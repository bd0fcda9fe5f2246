import { resolve } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { isWithin } from '../../hub/base/is_within.js';
import { textOf } from '../../hub/base/node_blocks.js';
import type { Client } from '../../hub/client/client.js';
import type { Block, NodeId, TreeId } from '../../hub/protocol/node.js';
import type { SettingsChange, TurnOutcome } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import { newNodeId, newTreeId } from '../position/ids.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { checkTurn } from './run_turn.js';
import type { TurnOptions } from './turn_options.js';

/** Something said in a session of the project, or beside what is said at a node. */
export interface SessionMessage {
  /** A session by its name; null for a new one, where no node is given. */
  session: string | null;
  /** The node that it branches off; null to go on in the session. */
  at: { tree: TreeId; node: NodeId } | null;
  text: string;
  /** Whether a model of ours answers: then it is looked for first. */
  isModel: boolean;
  /** Files of the project whose contents the model is told. */
  files: readonly string[];
  change: Partial<SettingsChange>;
}

/** Where a message was added, for the turn that answers it. */
export interface SessionPlace {
  session: string;
  tree: TreeId;
  node: NodeId;
  isBranch: boolean;
}

/** Adds a message where its session goes on. Nothing is added when no model could answer. */
export async function addToSession(
  context: Context,
  options: TurnOptions,
  { session, at, text, isModel, files, change }: SessionMessage,
): Promise<SessionPlace> {
  const client = await context.client();
  const { access, usual_model } = options;
  if (isModel) await checkTurn(context, { access, change, usual_model, node: at?.node ?? null });
  const contents = await readFiles(client, context, files);
  const opening = { id: newTreeId(), project: context.project, session };
  const place = at === null ? await client.call('history.session_open', opening) : { ...at, session: at.tree };
  const id = newNodeId();
  const blocks: Block[] = [...contents, text].map((part) => ({ type: 'text', text: part }));
  await client.call('loom.node_create_text', { id, tree: place.tree, parent: place.node, role: 'user', blocks });
  // A session does not go on from it.
  if (at !== null) await client.call('loom.mark_set', { tree: at.tree, name: `aside ${shortId(id)}`, node: id });
  return { session: place.session, tree: place.tree, node: id, isBranch: at !== null };
}

/** The session goes on where its turn has ended, whatever is said beside it meanwhile. */
export async function markSession(client: Client, place: SessionPlace, { tip }: TurnOutcome): Promise<void> {
  if (!place.isBranch) await client.call('loom.mark_set', { tree: place.tree, name: 'session', node: tip });
}

/** Contents of files of the project: what a model named may be no other. */
async function readFiles(client: Client, { cwd, project }: Context, paths: readonly string[]): Promise<string[]> {
  const policy = { kind: 'contained' as const, network: false, writable: [], readable: [project] };
  const contents: string[] = [];
  for (const path of paths) {
    if (!isWithin(resolve(cwd, path), project)) {
      throw new HubError('invalid_params', `${path} is no file of the project ${project}`);
    }
    const { blocks } = await client.call('file.read', { path, cwd, limit: null, policy, inside: project });
    contents.push(`The content of ${path}:\n${textOf(blocks)}`);
  }
  return contents;
}
