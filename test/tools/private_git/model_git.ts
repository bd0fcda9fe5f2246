import { realpathSync } from 'node:fs';
import { withFolder } from '../../support/hub.js';
import type { KINDS } from '../sandbox/contained.js';
import { type ModelGit, openModelGit } from './open_model_git.js';

export interface WorldOptions {
  kind: (typeof KINDS)[number];
  /** Whether the project is no repository. */
  plain?: true;
}

/** A project with one commit, a person and a model. */
export function withModelGit<T>({ kind, plain }: WorldOptions, use: (world: ModelGit) => Promise<T>): Promise<T> {
  return withFolder((folder) => {
    const world = openModelGit(realpathSync(folder), kind);
    if (plain !== true) {
      world.person('init', '-q', '-b', 'main');
      world.write('file', 'one\n');
      world.person('add', '.');
      world.person('commit', '-qm', 'first');
    }
    return use(world);
  });
}
