import { outputsOf, outputsOfBlock } from '../../hub/base/node_blocks.js';
import type { Block, External, Sha256 } from '../../hub/protocol/node.js';
import type { Store } from '../store/store.js';

/** The outputs of what is to become nodes, inputs and journals, of the turns in some trees (a JSON list of rows) or in all others. */
export function outputsOfUncommitted(store: Store, { trees, among }: { trees: string; among: boolean }): Sha256[] {
  const where = '(turn IN (SELECT turn FROM turns WHERE tree IN (SELECT value FROM json_each(?)))) = ?';
  const values = [trees, among ? 1 : 0];
  const inputs = store.all<{ blocks: string }>(`SELECT blocks FROM inputs WHERE node IS NULL AND ${where}`, ...values);
  const journals = store.all<{ body: string }>(`SELECT body FROM turn_journal WHERE ${where}`, ...values);
  // The write operations stored both after the schema had parsed them; only results have an external part.
  const said = inputs.map(({ blocks }): Block[] => JSON.parse(blocks));
  const steps = journals.map(({ body }): { blocks: Block[]; external?: External } => JSON.parse(body));
  return [
    ...said.flatMap((blocks) => blocks.flatMap(outputsOfBlock)),
    ...steps.flatMap(({ blocks, external = null }) => [...outputsOf({ blocks, external })]),
  ];
}
