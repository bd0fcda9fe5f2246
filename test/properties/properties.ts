import fc from 'fast-check';
import type { Client } from '../../hub/client/client.js';
import {
  checkExportImport,
  checkFsck,
  checkLeaves,
  checkMarks,
  checkPaths,
  checkSearch,
  checkShape,
} from './checks.js';
import { buildTree, type Model } from './model.js';
import { plan } from './plan.js';

export interface Homes {
  client: Client;
  /** A hub on another home. */
  other: Client;
}

type Check = (homes: Homes, model: Model) => Promise<void>;

/** What holds for every tree; the names are the titles of the tests. */
export const PROPERTIES: Record<string, Check> = {
  'a path begins at the root, ends at its node and holds what was written': ({ client }, model) =>
    checkPaths(client, model),
  'parents precede their children, and children are derived from parents': ({ client }, model) =>
    checkShape(client, model),
  'leaves and counts agree with the model': ({ client }, model) => checkLeaves(client, model),
  'marks point where they were last set': ({ client }, model) => checkMarks(client, model),
  'search finds what was added': ({ client }, model) => checkSearch(client, model),
  'export and import give back the same tree': ({ client, other }, model) => checkExportImport(client, other, model),
  'every hash, step and count is in order': ({ client }, model) => checkFsck(client, model),
};

/** Checks one property on `count` random trees; a failure prints the smallest failing tree and the seed. */
export async function tryProperty(
  homes: Homes,
  check: Check,
  { seed, count }: { seed: number; count: number },
): Promise<void> {
  const property = fc.asyncProperty(plan, async (actions) => check(homes, await buildTree(homes.client, actions)));
  await fc.assert(property, { seed, numRuns: count });
}
