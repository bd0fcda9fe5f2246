import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../../hub/base/disk/durable_file.js';
import { isAlive } from '../../../files/process_alive.js';
import type { Content } from '../state/buffer.js';
import { parseContent } from './content_text.js';

// Drafts are kept for this many trees; the oldest are removed first.
const DRAFTS_MAX = 200;

/** The tree of a draft. A tree that does not exist yet cannot be reopened, so its draft can be adopted by another. */
export interface DraftOwner {
  tree: string;
  isMade: boolean;
}

/** Saves the draft of a tree, atomically; removes it when it is empty. */
export function saveDraft(folder: string, owner: DraftOwner, content: Content): void {
  const path = pathOf(folder, owner);
  rmSync(pathOf(folder, { ...owner, isMade: !owner.isMade }), { force: true });
  if (content.length === 0) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(path, JSON.stringify(content));
  forgetOldest(folder);
}

/** Takes over the newest draft for a new tree that a dead chat left. */
export function adoptDraft(folder: string, tree: string): Content | null {
  const own = pathOf(folder, { tree, isMade: false });
  for (const path of orphans(folder)) {
    if (isRenamed(path, own)) return read(own);
  }
  return null;
}

/** The saved draft of a tree; null when there is none that can be read. */
export function loadDraft(folder: string, tree: string): Content | null {
  return read(pathOf(folder, { tree, isMade: true }));
}

function read(path: string): Content | null {
  try {
    return parseContent(readFileSync(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function orphans(folder: string): string[] {
  return draftsIn(folder)
    .filter((name) => {
      const owner = Number(OF_NEW_TREE.exec(name)?.[1] ?? process.pid);
      return owner !== process.pid && !isAlive(owner);
    })
    .map((name) => join(folder, name));
}

/** False when another terminal was faster. */
function isRenamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function forgetOldest(folder: string): void {
  for (const name of draftsIn(folder).slice(DRAFTS_MAX)) rmSync(join(folder, name), { force: true });
}

/** The newest first. */
function draftsIn(folder: string): string[] {
  const names = isThere(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const ages = names.map((name) => ({ name, atMs: ageOf(join(folder, name)) }));
  return ages.sort((a, b) => b.atMs - a.atMs).map(({ name }) => name);
}

/** 0 when another terminal has removed it meanwhile. */
function ageOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false }) !== undefined;
}

const OF_NEW_TREE = /^new-(\d+)-/;

function pathOf(folder: string, { tree, isMade }: DraftOwner): string {
  return join(folder, `${isMade ? '' : `new-${process.pid}-`}${encodeURIComponent(tree)}.json`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
