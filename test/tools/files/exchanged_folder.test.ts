import { existsSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identityOf, identityOfPath } from '../../../tools/walk/folder_identity.js';
import { foldersIn, startWorker } from '../../gauntlet/files.js';
import { withFolder } from '../../support/hub.js';

test('a project whose name leads elsewhere by now is not opened, whichever part of it is a link', () =>
  withFolder(async (folder) => {
    const project = join(folder, 'above', 'project');
    mkdirSync(project, { recursive: true });
    expect(identityOfPath(project)).toBe(identityOf(statSync(project)));
    mkdirSync(join(folder, 'secret', 'project'), { recursive: true });
    renameSync(project, join(folder, 'away'));
    symlinkSync(join(folder, 'secret'), project);
    expect(() => identityOfPath(project)).toThrow('was exchanged');
    renameSync(join(folder, 'above'), join(folder, 'away too'));
    symlinkSync(join(folder, 'secret'), join(folder, 'above'));
    expect(() => identityOfPath(project)).toThrow('was exchanged');
    expect(() => identityOfPath(join(folder, 'nothing'))).toThrow('not there');
  }));

test('what is mounted in the place of a project after it was looked at is not read', () =>
  withFolder(async (folder) => {
    const { project, store } = foldersIn(folder);
    writeFileSync(join(project, 'key'), 'canary');
    const own = identityOf(statSync(project));
    for (const is of [
      { top: own, project: identityOf(statSync(folder)) },
      { top: identityOf(statSync(folder)), project: own },
    ]) {
      const worker = startWorker({ project, store }, {}, is);
      await expect(worker.ask({ kind: 'snapshot' })).rejects.toThrow('was exchanged');
      await worker.kill();
      const packs = join(store, 'packs');
      expect(existsSync(packs) ? readdirSync(packs) : []).toEqual([]);
    }
    const worker = startWorker({ project, store }, {}, { top: own, project: own });
    expect(await worker.ask({ kind: 'snapshot' })).toMatch(/^[0-9a-f]{64}$/);
    await worker.kill();
  }));
