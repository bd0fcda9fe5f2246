import { execFileSync } from 'node:child_process';
import { chmod, chown, open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyAccess } from '../../../../tools/file/path/copy_access.js';
import { withPinned } from '../../../../tools/file/path/pinned_path.js';
import { withFolder } from '../../../support/hub.js';
import { tries } from '../../../support/mounts.js';
import { OPEN, refused, withFileTools } from '../tool_calls.js';

// What `setfacl` of a package that few have does: 1234 may read and write, the group may only read.
const SET_LIST = `
import os, struct, sys
entries = [(1, 6, 0xffffffff), (2, 6, 1234), (4, 4, 0xffffffff), (16, 6, 0xffffffff), (32, 0, 0xffffffff)]
packed = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *entry) for entry in entries)
os.setxattr(sys.argv[1], 'system.posix_acl_access', packed)
`;
const GET_LIST = "import os, sys; print(os.getxattr(sys.argv[1], 'system.posix_acl_access').hex())";
const python = (script: string, path: string) => execFileSync('python3', ['-c', script, path], { encoding: 'utf8' });
// Not every file system keeps such lists.
const ON_A_FILE = "import sys, tempfile; one = tempfile.NamedTemporaryFile(); sys.argv = ['-', one.name]";
const canList = process.platform === 'linux' && tries('python3', ['-c', `${ON_A_FILE}\n${SET_LIST}`]);

test.runIf(canList)('an access list outlives a write and an edit, so that the group is not let in further', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('listed.txt', 'old text\n');
    python(SET_LIST, path);
    const list = python(GET_LIST, path);
    const { mode } = await stat(path);
    await tools.client.call('file.write', { path, content: 'new text\n', policy: OPEN });
    expect(python(GET_LIST, path)).toBe(list);
    await tools.client.call('file.edit', { path, old_text: 'new', new_text: 'newer', policy: OPEN });
    expect(python(GET_LIST, path)).toBe(list);
    expect((await stat(path)).mode).toBe(mode);
  }),
);

test.runIf(process.getuid?.() === 0)('a file keeps its special bits, and its mode when nobody may write it', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('special', 'old');
    for (const mode of [0o4755, 0o2755, 0o400, 0o070]) {
      await chown(path, 1234, 4321);
      await chmod(path, mode);
      await tools.client.call('file.write', { path, content: `content ${mode}`, policy: OPEN });
      expect(await stat(path)).toMatchObject({
        uid: 1234,
        gid: 4321,
        mode: 0o100000 | mode,
        size: `content ${mode}`.length,
      });
    }
  }),
);

/** Acts as a user with few rights, which only root can; the files are open already. */
async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([]);
  process.setegid?.(65_534);
  process.seteuid?.(65_534);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
  }
}

test.runIf(process.getuid?.() === 0)(
  'the rights of a group are not given to another group when the group cannot be kept',
  () =>
    withFolder(async (folder) => {
      for (const [uid, gid, mode, kept] of [
        [65_534, 4_321, 0o664, 0o644],
        [65_534, 4_321, 0o660, 0o600],
        [1_234, 65_534, 0o4660, 0o660],
        [65_534, 65_534, 0o2660, 0o2660],
      ] as const) {
        const path = join(folder, `${uid}-${gid}-${mode}`);
        await writeFile(path, 'old');
        await chown(path, uid, gid);
        await chmod(path, mode);
        const draft = await open(`${path}.new`, 'w', 0o600);
        await draft.chown(65_534, 65_534);
        const taken = await withPinned(path, 'any', (old) => asNobody(() => copyAccess(draft, old)));
        expect([path, taken]).toEqual([path, kept]);
        await draft.close();
      }
    }),
);

test('a setuid program loses that bit when a model writes it', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('program', 'old');
    await chmod(path, 0o6755);
    await tools.client.call('file.write', { path, content: 'new', policy: tools.contained });
    expect((await stat(path)).mode & 0o7777).toBe(0o755);
  }));

test('the bytes of a file are those that were written, whatever program copied its access list', () =>
  withFileTools(async (tools) => {
    const path = join(tools.folder, 'shorter');
    await tools.client.call('file.write', { path, content: 'x'.repeat(100_000), policy: OPEN });
    await tools.client.call('file.write', { path, content: 'y', policy: OPEN });
    expect((await stat(path)).size).toBe(1);
  }));

test.runIf(process.getuid?.() !== 0)('a file in a folder that may not be written says why it cannot be replaced', () =>
  withFileTools(async (tools) => {
    const path = await tools.put('mine', 'old');
    await chmod(tools.folder, 0o555);
    try {
      const writing = tools.client.call('file.write', { path, content: 'new', policy: OPEN });
      expect((await refused(writing)).message).toBe(`no file may be made in ${tools.folder}`);
    } finally {
      await chmod(tools.folder, 0o755);
    }
  }),
);
