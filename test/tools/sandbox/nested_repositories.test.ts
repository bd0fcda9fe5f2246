import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { findNestedRepositories } from '../../../tools/sandbox/nested_repositories.js';
import { withFolder } from '../../support/hub.js';

test('a repository that was away while it was looked for is known when it is back', () =>
  withFolder(async (folder) => {
    const [root, away] = [join(folder, 'project'), join(folder, 'away')];
    const nested = findNestedRepositories(0);
    const [sub, other] = [join(root, 'sub', '.git'), join(root, 'other', '.git')];
    mkdirSync(sub, { recursive: true });
    expect(nested.below(root)).toEqual([sub]);
    renameSync(join(root, 'sub'), away);
    mkdirSync(other, { recursive: true });
    while (!nested.below(root).includes(other)) await nextTurn();
    renameSync(away, join(root, 'sub'));
    expect(nested.below(root)).toEqual([other, sub]);
  }));
