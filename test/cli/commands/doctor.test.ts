import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';

test('doctor reports each fault of a home that is a file', async () => {
  await withCli(async ({ folder, run }) => {
    const home = join(folder, 'file');
    writeFileSync(home, '');
    for (const place of [home, join(home, 'below', 'it')]) {
      const { code, stdout, stderr } = await run(['doctor'], { env: { COGNITION_HOME: place } });
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      for (const about of ['node', 'hub', 'home', 'disk', 'write-ahead log', 'session', 'terminal']) {
        expect(stdout).toMatch(new RegExp(`^(ok|warn|fail) +${about}`, 'm'));
      }
    }
  });
});

test('a folder in place of the session file is set aside, and doctor reports it before', async () => {
  await withCli(async ({ home, run }) => {
    mkdirSync(join(home, 'session.json'), { recursive: true });
    expect((await run(['doctor'])).stdout).toMatch(/^warn +session +.* is corrupt$/m);
    const { code, stderr } = await run(['new', 'notes']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/session\.json could not be read; it was set aside as /);
    expect(readdirSync(home).filter((name) => name.startsWith('session.json'))).toHaveLength(2);
  });
});

test('a folder in place of the preferences is reported, and all else goes on', async () => {
  await withCli(async ({ home, run }) => {
    mkdirSync(join(home, 'config'), { recursive: true });
    const { code, stderr } = await run(['list', '--json']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^[^\n]*config cannot be read: [^\n]*; it is ignored\n$/);
    expect((await run(['config', 'set', 'ascii', 'true'])).stderr).toMatch(/cognition: [^\n]*config cannot be /);
  });
});

test('doctor tells how the tools and the sandbox are, and which databases are configured', async () => {
  await withCli(async ({ run, print, json }) => {
    await print('config', 'set', 'postgres.shop', 'postgres://reader:secret@127.0.0.1:1/shop');
    const { stdout } = await run(['doctor']);
    expect(stdout).toMatch(/^ok +bash +\d+\.\d+/m);
    expect(stdout).toMatch(/^ok +tools +process \d+, [\d.]+ MiB, 0 commands running$/m);
    expect(stdout).toMatch(/^(ok|warn) +sandbox +(bubblewrap|util-linux|sandbox-exec|none)/m);
    expect(stdout).toMatch(/^ok +databases +shop$/m);
    expect(stdout).not.toContain('secret');
    expect(await json('doctor')).toContainEqual(
      expect.objectContaining({ about: 'sandbox', holds: expect.any(Array) }),
    );
  });
});

test('doctor tells which model would answer and whether there is a key, and never shows it', async () => {
  await withCli(async ({ run }) => {
    const modelLine = async (env: Record<string, string>): Promise<string> => {
      const { stdout } = await run(['doctor'], { env });
      expect(stdout).not.toContain('sk-secret');
      return /^(?:ok|warn) +model .*\n(?: +fix: .*)?/m.exec(stdout)?.[0].trim().replace(/\s+/g, ' ') ?? '';
    };
    expect(await modelLine({})).toMatch(/^warn model none: no model is chosen.* fix: set ANTHROPIC_API_KEY/);
    expect(await modelLine({ COGNITION_MODEL: 'demo' })).toBe('ok model demo/demo, which needs no key');
    expect(await modelLine({ ANTHROPIC_API_KEY: 'sk-secret' })).toMatch(
      /^ok model anthropic\/\S+, with the key of your environment$/,
    );
  });
});
