import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../replaced_file.js';
import type { Content } from './buffer.js';
import { parseContent } from './content_text.js';

// A draft for each tree that one has left in the middle of a sentence; the oldest go first.
const DRAFTS_MAX = 200;

/** Keeps what is being written for a tree, in one step; an empty one is forgotten. */
export function saveDraft(folder: string, tree: string, content: Content): void {
  const path = pathOf(folder, tree);
  if (content.length === 0) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(path, JSON.stringify(content));
  forgetOldest(folder);
}

/** What was being written for a tree when its terminal went away; null when there is nothing that can be read. */
export function loadDraft(folder: string, tree: string): Content | null {
  try {
    return parseContent(readFileSync(pathOf(folder, tree), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function forgetOldest(folder: string): void {
  const drafts = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (drafts.length <= DRAFTS_MAX) return;
  const ages = drafts.map((name) => ({ name, atMs: ageOf(join(folder, name)) }));
  ages.sort((a, b) => b.atMs - a.atMs);
  for (const { name } of ages.slice(DRAFTS_MAX)) rmSync(join(folder, name), { force: true });
}

/** Another terminal may have removed it meanwhile. */
function ageOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function pathOf(folder: string, tree: string): string {
  return join(folder, `${encodeURIComponent(tree)}.json`);
}
