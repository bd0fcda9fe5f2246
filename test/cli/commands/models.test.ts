import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { fail, say } from '../../support/model/script.js';
import { KEY, withModelServer } from '../../support/model_server.js';

/** A server of one's own that names its models. */
async function withListing<T>(use: (origin: string) => Promise<T>): Promise<T> {
  const server = createServer((_request, response) => {
    const data = [{ id: 'qwen3', max_model_len: 40_960 }, { id: 'odd\u001b[2J' }];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    server.close();
  }
}

test('models lists servers with their keys, models, windows and prices, and where these come from', () =>
  withListing((origin) =>
    withCli(async ({ home, run }) => {
      mkdirSync(home, { mode: 0o700 });
      const lines = [
        'server.work.base_url = https://work.example',
        'server.work.models = glm-5',
        'server.work.prices = 1/2',
      ];
      writeFileSync(join(home, 'config'), `${lines.join('\n')}\n`);
      const env = { ANTHROPIC_API_KEY: KEY, VLLM_BASE_URL: origin, LMSTUDIO_BASE_URL: 'http://127.0.0.1:1' };
      const { code, stdout } = await run(['models'], { env });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^anthropic {2}https:\/\/api\.anthropic\.com {2}the key is there$/m);
      expect(stdout).toMatch(
        /anthropic\/claude-sonnet-5 +sonnet, claude +1,000,000 tokens +\$2\/\$10 +tools, images, thinking/,
      );
      expect(stdout).toMatch(/^openai .* no key: set OPENAI_API_KEY$/m);
      expect(stdout).toMatch(/work\/glm-5 +window unknown +\$1\/\$2 \(yours\)/);
      expect(stdout).toMatch(
        /^vllm .* no key is needed; it runs\n {2}vllm\/qwen3 +40,960 tokens \(it says\) +price unknown/m,
      );
      expect(stdout).toMatch(/^lmstudio .*; it does not run$/m);
      expect(stdout).not.toContain('\u001b');
      expect(stdout).not.toContain(KEY);
      const all = await run(['models', 'openai', '--json'], { env });
      const { servers } = JSON.parse(all.stdout);
      expect(servers).toHaveLength(1);
      expect(servers[0].models.length).toBeGreaterThan(40);
      expect((await run(['models', 'nowhere'])).code).toBe(2);
    }),
  ));

test('models --check says in one line whether a model works', () =>
  withModelServer((server) =>
    withCli(async ({ run }) => {
      const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin };
      server.script(say({ kind: 'text', text: 'yes' }), fail(404, 'model: claude-x'));
      const works = await run(['models', '--check', 'haiku'], { env });
      expect([works.code, works.stdout]).toEqual([
        0,
        expect.stringMatching(
          /^anthropic\/claude-haiku-4-5 answers: \d+\.\d s, [\d,]+ tokens in, \d+ out, price unknown\n$/,
        ),
      ]);
      const fails = await run(['models', '--check', 'claude-x'], { env });
      expect([fails.code, fails.stderr]).toEqual([5, expect.stringContaining('has no model claude-x')]);
      expect(await run(['models', '--check', 'gpt'])).toMatchObject({ code: 4 });
      // What a server refused has cost nothing, and is not unknown.
      server.script(fail(400, 'invalid_request_error'));
      await run(['ask', 'hello', '--model', 'haiku'], { env });
      const { stdout } = await run(['cost', '--json']);
      expect(JSON.parse(stdout)).toMatchObject({
        total: { requests: 1, failed: 1, unknown_price: 0, unknown_usage: 0 },
      });
    }),
  ));
