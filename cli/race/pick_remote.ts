import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import type { Tree } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { recordFiles } from '../exec/project_watch.js';
import { execute } from '../exec/run_command.js';
import { outputPieces } from '../exec/stored_output.js';
import { EXIT } from '../output/failure.js';
import { newNodeId } from '../position/ids.js';
import { remember } from '../position/remember.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { applyCommand } from './lane_patch.js';
import { createRemoteReader, type RemoteLane, refuseInChat, remoteLane } from './remote_lanes.js';

const APPLY_MS_MAX = 60_000;

/** Takes what a lane of a remote has changed, as `git apply` does: all of it or nothing; and goes on there. */
export async function pickOnRemote(
  context: Context,
  { remote, tree, number }: { remote: string; tree: Tree; number: string },
): Promise<number> {
  refuseInChat(context);
  const client = await context.client();
  const lanes = await createRemoteReader(client)({ remote, tree: tree.id, node: null });
  const lane = remoteLane(lanes, number, remote);
  if (lane.state === 'starting' || lane.state === 'running') {
    throw new HubError('conflict', `lane ${lane.number} has not ended`, {
      hint: ['look at it: ', cliCommand('race', '--on', remote)],
    });
  }
  const taken = lane.patch === null ? null : await applyPatch(context, tree, lane);
  const node = taken ?? lane.tip;
  await remember(context, (session) => session.move(tree.id, node));
  if (context.json) await context.printJson({ node, applied: taken !== null });
  else if (taken === null) context.note(`Lane ${lane.number} has changed no files.`);
  else
    context.note([
      `Took what lane ${lane.number} has changed. Back again: `,
      cliCommand('files restore', shortId(lane.node)),
    ]);
  return EXIT.ok;
}

/** A command of the person below the lane, so that what the files were before and after is recorded as always. */
async function applyPatch(context: Context, tree: Tree, { patch, node, tip, number }: RemoteLane) {
  const client = await context.client();
  const holder = patch === null ? null : (await client.call('loom.node_get', { node: patch })).node;
  const output = holder?.kind === 'external' ? holder.external.output : null;
  if (output === null) throw new HubError('not_found', `the patch of lane ${number} is not here`);
  await recordFiles(context, { tree: tree.id, id: node });
  const folder = mkdtempSync(join(tmpdir(), 'cognition-patch-'));
  const file = join(folder, `lane-${number}.patch`);
  try {
    for await (const { data } of outputPieces(client, output.sha256))
      writeFileSync(file, Buffer.from(data, 'base64'), { flag: 'a', mode: 0o600 });
    const id = newNodeId();
    const execution = {
      ...{ tree, parent: tip, id, command: applyCommand(file), cwd: context.project },
      ...{ timeoutMs: APPLY_MS_MAX, policy: { kind: 'open' as const }, detached: false, reset: false, append: true },
    };
    const quiet = { onEvent: () => undefined, hurry: () => undefined, end: async () => undefined };
    const { answer } = await execute(context, execution, quiet);
    if (answer?.external.exit_code !== 0) {
      throw new HubError(
        'conflict',
        `the changes of lane ${number} do not fit the files that are here; nothing was changed`,
        {
          hint: ['why: ', cliCommand('output', shortId(id))],
        },
      );
    }
    await recordFiles(context, { tree: tree.id, id });
    return id;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
