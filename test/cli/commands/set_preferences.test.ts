import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';

test('config alone lists what is set, where, and how to set something', async () => {
  await withCli(async ({ run, print, home, folder }) => {
    const none = await run(['config']);
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toBe(
      'Nothing is set. To set one: cognition config set <key> <value>\nAll of them, with what they mean: cognition config list\n',
    );
    await print('config', 'set', 'wrap', 'terminal');
    mkdirSync(join(folder, '.cognition'), { recursive: true });
    writeFileSync(join(folder, '.cognition', 'config'), 'ascii = true\n');
    const { stdout, stderr, code } = await run(['config'], { env: { COGNITION_COLOR: 'never' } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^color = never +environment: COGNITION_COLOR$/m);
    expect(stdout).toContain('wrap = terminal');
    expect(stdout).toContain(home);
    expect(stdout).not.toContain('pager');
    expect(stderr).toContain('To set one: cognition config set <key> <value>\n');
    expect((await run(['config', 'list', '--set'], { env: { COGNITION_COLOR: 'never' } })).stdout).toBe(stdout);
    const listed: unknown = JSON.parse((await run(['config', '--json'])).stdout);
    expect(listed).toContainEqual(expect.objectContaining({ key: 'wrap', value: 'terminal', origin: 'user' }));
    expect((await run(['config', '--help'])).stdout).toContain('unset <key>');
    expect(await run(['config', 'wrong'])).toMatchObject({ code: 2, stderr: expect.stringContaining("'wrong'") });
  });
});

test('list --here in a folder that was renamed names the conversations of the one that is gone', async () => {
  await withCli(async ({ run, folder }) => {
    const [before, after] = [join(folder, 'before'), join(folder, 'after')];
    mkdirSync(before);
    await run(['new', 'garden'], { folder: before });
    await run(['add', '@', 'beans'], { folder: before });
    expect((await run(['list', '--here'], { folder: before })).stdout).toContain('garden');
    renameSync(before, after);
    const { stderr, stdout, code } = await run(['list', '--here'], { folder: after });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/before is gone: if this is it, go on with: cognition chat [0-9a-f]{8}\n$/);
  });
});
