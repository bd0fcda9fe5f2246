import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestCli, withCli } from '../../support/cli.js';
import { type TestProxy, withProxy } from '../../support/connect_proxy.js';
import { type Part, say } from '../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../support/model_server.js';
import { tries } from '../../support/mounts.js';
import { withAuthority, withEncrypted } from '../../support/private_authority.js';

const words = (text: string): Part => ({ kind: 'text', text });

interface Around {
  cli: TestCli;
  server: ModelServer;
  proxy: TestProxy;
  env: Record<string, string>;
}

/** The program in an environment whose proxy wants a name and a password. */
function withProxied(use: (around: Around) => Promise<void>): Promise<void> {
  return withModelServer((server) =>
    withProxy(
      (proxy) =>
        withCli((cli) => {
          const http_proxy = proxy.origin.replace('//', '//me:proxy-secret@');
          const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin, COGNITION_MODEL: 'sonnet' };
          return use({ cli, server, proxy, env: { ...env, http_proxy } });
        }),
      { account: 'me:proxy-secret' },
    ),
  );
}

test('a turn, its sub-sessions, its answers and a summary go by the caller’s proxy, whose password is kept nowhere', () =>
  withProxied(async ({ cli, server, proxy, env }) => {
    const task = { kind: 'call' as const, id: 'c1', tool: 'spawn_session', input: '{"task":"say hi"}' };
    server.script(say(task), say(words('Hi.')), say(words('Done.')), say(words('A summary of what was said.')));
    expect(await cli.run(['ask', 'look'], { env })).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(await cli.run(['compact'], { env })).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(4);
    expect(proxy.passed).toEqual(Array(4).fill(`${server.origin}/v1/messages`));
    for (const file of readdirSync(cli.home, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toContain('proxy-secret');
    }
    // What the next caller does not have does not hold for it, though the hub is the same.
    const { http_proxy: _, ...straight } = env;
    expect(await cli.run(['ask', '@', 'and now?'], { env: straight })).toMatchObject({ code: 0 });
    expect([server.requests.length, proxy.passed.length]).toEqual([5, 4]);
    expect(await cli.run(['ask', '@', 'so?'], { env: { ...env, NO_PROXY: '127.0.0.0/8' } })).toMatchObject({ code: 0 });
    expect([server.requests.length, proxy.passed.length]).toEqual([6, 4]);
  }));

test('a proxy that wants a password says so in one line', () =>
  withProxied(async ({ cli, server, proxy, env }) => {
    const { code, stderr } = await cli.run(['ask', 'look'], { env: { ...env, http_proxy: proxy.origin } });
    expect(code).toBe(5);
    const { host } = new URL(proxy.origin);
    expect(stderr).toContain(`the proxy ${proxy.origin} wants a name and a password (407)\n`);
    expect(stderr).toContain(`hint: give them in its address: http://name:password@${host}\n`);
    expect(server.requests).toEqual([]);
  }));

test.runIf(tries('openssl', ['version']))('an authority is read by the caller, and named where it is missing', () =>
  withAuthority('models.example', (authority) =>
    withModelServer((server) =>
      withEncrypted(authority, server.origin, (port) =>
        withCli(async ({ run }) => {
          const base = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `https://127.0.0.1:${port}` };
          const env = { ...base, COGNITION_MODEL: 'sonnet' };
          const without = await run(['ask', 'look'], { env });
          expect(without.code).toBe(5);
          expect(without.stderr).toContain('hint: name the file with the authority that signed its certificate');
          const wrong = await run(['ask', 'look'], { env: { ...env, NODE_EXTRA_CA_CERTS: '/nowhere.pem' } });
          expect(wrong.stderr).toContain('NODE_EXTRA_CA_CERTS names a file that cannot be read (ENOENT): /nowhere.pem');
          expect(server.requests).toEqual([]);
          const trusting = { ...env, NODE_EXTRA_CA_CERTS: authority.file };
          expect(await run(['ask', 'look'], { env: trusting })).toMatchObject({ code: 0, stdout: 'Hello.\n' });
        }),
      ),
    ),
  ),
);
