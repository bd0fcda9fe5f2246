import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../../hub/base/disk/durable_file.js';
import { isWriterAlive } from '../../../files/process_alive.js';
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
  return takeOver(folder, own, (name) => Number(OF_NEW_TREE.exec(name)?.[1] ?? process.pid)) ? read(own) : null;
}

/** The saved draft of a tree, this chat's own or one that a dead chat left there; null when there is none that can be read. */
export function loadDraft(folder: string, tree: string): Content | null {
  const own = pathOf(folder, { tree, isMade: true });
  const start = `${encodeURIComponent(tree)}.`;
  // Earlier versions did not name the process: that is nobody's.
  const writerOf = (name: string): number =>
    name.startsWith(start) ? Number(name.slice(start.length, -ENDING.length)) : process.pid;
  return isThere(own) || takeOver(folder, own, writerOf) ? read(own) : null;
}

/** Makes the newest draft that a dead chat left this chat's own; this process as the writer is for what is not meant. */
function takeOver(folder: string, own: string, writerOf: (name: string) => number): boolean {
  return draftsIn(folder).some((name) => {
    const [path, writer] = [join(folder, name), writerOf(name)];
    const isLeft = writer !== process.pid && !(writer > 0 && isWriterAlive(writer, ageOf(path)));
    return isLeft && isRenamed(path, own);
  });
}

function read(path: string): Content | null {
  try {
    return parseContent(readFileSync(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
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
  const names = isThere(folder) ? readdirSync(folder).filter((name) => name.endsWith(ENDING)) : [];
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

const ENDING = '.json';
const OF_NEW_TREE = /^new-(\d+)-/;

function pathOf(folder: string, { tree, isMade }: DraftOwner): string {
  // Each chat has its own, so that no two terminals of a conversation write over each other's.
  const name = encodeURIComponent(tree);
  return join(folder, isMade ? `${name}.${process.pid}${ENDING}` : `new-${process.pid}-${name}${ENDING}`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
