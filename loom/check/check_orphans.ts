import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha256 } from '../../hub/protocol/node.js';
import { isSha256, outputPath } from '../outputs/output_path.js';
import { outputsOfUncommitted } from '../outputs/uncommitted_outputs.js';
import type { ReadContext } from '../paging/read_context.js';
import type { Slices } from '../paging/slices.js';
import { idBlob } from '../store/rows.js';
import type { Store } from '../store/store.js';
import { addProblem, type Report } from './report.js';

const POINTED_AT = `SELECT 1 FROM node_outputs WHERE sha256 = ?
  UNION ALL SELECT 1 FROM loose_files WHERE kind = 'output' AND name = ? LIMIT 1`;

/** Reports files among the stored outputs that no row of the database knows. */
export function* checkOrphans({ store, outputs }: ReadContext, report: Report): Slices<void> {
  const candidates: Sha256[] = [];
  for (const folder of existsSync(outputs) ? readdirSync(outputs) : []) {
    for (const name of readdirSync(join(outputs, folder))) {
      const sha256 = folder + name;
      if (!isSha256(sha256)) addProblem(report, `${join(outputs, folder, name)} is no stored output`);
      else if (!isPointedAt(store, sha256)) candidates.push(sha256);
    }
    yield;
  }
  const held = new Set(outputsOfUncommitted(store, { trees: '[]', among: false }));
  for (const sha256 of candidates) {
    const path = outputPath(outputs, sha256);
    // What was stored or purged while the folders were read is no orphan.
    if (held.has(sha256) || isPointedAt(store, sha256) || !existsSync(path)) continue;
    addProblem(report, `nothing points at a stored output, and it can be removed: ${path}`);
  }
}

function isPointedAt(store: Store, sha256: Sha256): boolean {
  return store.get(POINTED_AT, idBlob(sha256), sha256) !== undefined;
}
