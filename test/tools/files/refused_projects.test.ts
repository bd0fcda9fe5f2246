import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TreeId } from '../../../hub/protocol/node.js';
import { isSystemFolder } from '../../../tools/files/system_folder.js';
import { connectTo, killHub, withFolder } from '../../support/hub.js';

test('what is no folder is no project: nothing is stored of it', () =>
  withFolder(async (folder) => {
    const home = join(folder, 'home');
    const file = join(folder, 'file');
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(file, 'not a folder');
    try {
      const client = await connectTo(home);
      const tree = TreeId.parse(randomUUID());
      await client.call('loom.tree_create', { id: tree });
      for (const project of [file, join(folder, 'absent')]) {
        await expect(client.call('files.status', { project, tree })).rejects.toMatchObject({
          ...{ kind: 'not_found', message: `the folder ${JSON.stringify(project)} is not there (any more)` },
        });
      }
      expect(existsSync(join(home, 'files'))).toBe(false);
      await client.close();
    } finally {
      await killHub(home);
    }
  }));

test('a folder of the system is no project, nor is one that holds many; one in it may be', () => {
  for (const path of ['/', '/usr', '/usr/lib', '/proc', '/proc/1', '/sys/class', '/etc', '/home', '/var/lib', '/tmp']) {
    expect([path, isSystemFolder(path)]).toEqual([path, true]);
  }
  for (const path of ['/projects', '/usr/src/app', '/var/www', '/var/www/site', '/etc/nginx', '/tmp/work']) {
    expect([path, isSystemFolder(path)]).toEqual([path, false]);
  }
});
