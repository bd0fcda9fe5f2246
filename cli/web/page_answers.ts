import { HubError } from '../../hub/base/error.js';
import { VERSION } from '../../hub/config/config.js';
import type { Context } from '../command_line/command_context.js';
import { isTreeId } from '../position/ids.js';
import { followedPosition } from '../position/position.js';
import { currentTreeIn } from '../position/reference.js';
import { aNode, aTree, type Params } from './act_params.js';
import { changedFiles } from './changed_files.js';
import { createRaceReader } from './race_lanes.js';

/** What the process answers by itself: who it is, where the person stands, which files differ. */
export function pageAnswers(context: Context, canWrite: boolean) {
  const readRace = createRaceReader();
  return {
    'page.start': async () => ({
      version: VERSION,
      project: context.project,
      current: currentTreeIn(context),
      can_write: canWrite,
    }),
    'page.position': async (params: Params) => {
      const tree = aTree(params);
      const position = await followedPosition(context, { id: tree });
      if (position === null) return { seq: null };
      const client = await context.client();
      const found = await client.call('loom.node_get', { tree, node: position.node }).catch(unlessMissing);
      return { seq: found?.node.seq ?? null };
    },
    'page.race': async (params: Params) => ({ lanes: await readRace(await context.client(), aTree(params)) }),
    'page.files': async (params: Params) => {
      const ends = { tree: aTree(params), from: aNode(params, 'from'), to: aNode(params, 'to') };
      return { files: await changedFiles(await context.client(), ends) };
    },
  };
}

/** A node may have been purged since. */
function unlessMissing(error: unknown): null {
  if (error instanceof HubError && error.kind === 'not_found') return null;
  throw error;
}

/** The tree of a link, as the page reads it. */
export function linkTo(port: number, code: string, tree: string | null): string {
  const where = isTreeId(tree) ? `&tree=${tree}` : '';
  return `http://127.0.0.1:${port}/#k=${code}${where}`;
}
