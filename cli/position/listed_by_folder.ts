import type { Tree } from '../../hub/protocol/node.js';
import type { ListedTree } from '../render/tree/tree_list.js';
import { shownFolder } from './project_folder.js';

/** Those of this project first; then the others by their folder, that of the newest first. */
export function listedByFolder(trees: readonly Tree[], here: string): ListedTree[] {
  const folders = new Map<string | null, ListedTree[]>([[null, []]]);
  for (const tree of trees) {
    const folder = tree.project === null || tree.project === here ? null : shownFolder(tree.project);
    const others = folders.get(folder) ?? [];
    others.push({ tree, folder });
    folders.set(folder, others);
  }
  return [...folders.values()].flat();
}
