import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homePaths } from '../../../hub/config/config.js';
import { withCli } from '../../support/cli.js';

const ADDRESS = 'postgres://me:pl4nted@db.test/shop?sslpassword=pl4nted';
const SHOWN = 'postgres://me:***@db.test/shop?sslpassword=***';

test('the commands for preferences set and unset a database and never print its password', async () => {
  await withCli(async ({ home, run, json }) => {
    const { config } = homePaths(home);
    expect(await json('config', 'set', 'postgres.shop', ADDRESS)).toEqual({
      ...{ key: 'postgres.shop', value: SHOWN, file: config },
    });
    expect(readFileSync(config, 'utf8')).toBe(`postgres.shop = ${ADDRESS}\n`);
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(await run(['config', 'get', 'postgres.shop'])).toMatchObject({ code: 0, stdout: `${SHOWN}\n` });
    const printed = await Promise.all(
      [['list'], ['list', '--show-origin'], ['list', '--json'], ['get', 'postgres.shop', '--json']].map((words) =>
        run(['config', ...words]),
      ),
    );
    for (const { code, stdout } of printed) expect([code, stdout.includes(SHOWN)]).toEqual([0, true]);
    const doctor = await run(['doctor', '--json']);
    const refused = await run(['config', 'set', 'postgres.shop', 'postgres://me:pl4nted']);
    const project = await run(['config', 'set', 'postgres.shop', ADDRESS, '--project']);
    expect([refused.code, project.code]).toEqual([2, 2]);
    expect(project.stderr).toContain('a project cannot set postgres.shop');
    const told = [...printed, doctor, refused, project].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    expect(told.filter((text) => text.includes('pl4nted'))).toEqual([]);
    const others = readdirSync(home, { recursive: true, encoding: 'utf8' })
      .map((name) => join(home, name))
      .filter((path) => path !== config && statSync(path).isFile());
    expect(others.filter((path) => readFileSync(path).includes('pl4nted'))).toEqual([]);
    expect(await run(['config', 'unset', 'postgres.shop'])).toMatchObject({ code: 0 });
    expect(await run(['config', 'get', 'postgres.shop'])).toMatchObject({
      stderr: expect.stringContaining('postgres.shop is not set'),
    });
    expect((await run(['config', 'list'])).stdout).not.toContain('postgres');
  });
});
