import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { fail, say } from '../../support/model/script.js';
import { KEY, withModelServer } from '../../support/model_server.js';

const OVERLOADED = Array.from({ length: 7 }, () => fail(529, 'Overloaded', { headers: { 'retry-after-ms': '0' } }));

test('--fallback, or the preference, names the model that goes on, and one line says that it does', () =>
  withModelServer((server) =>
    withCli(async ({ run, print }) => {
      const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin };
      server.script(...OVERLOADED, say({ kind: 'text', text: 'All is here.' }));
      const { code, stdout, stderr } = await run(['ask', 'look', '--model', 'opus', '--fallback', 'sonnet'], { env });
      expect([code, stdout]).toEqual([0, 'All is here.\n']);
      expect(stderr.split('\n').filter((line) => line.includes('sonnet'))).toEqual([
        expect.stringMatching(
          /^\(anthropic.*overloaded.*529.*; from here on anthropic\/claude-sonnet-5 answers: --model anthropic\/claude-opus-5-5 goes back\)$/,
        ),
      ]);
      await print('config', 'set', 'fallback', 'haiku');
      server.script(...OVERLOADED, say({ kind: 'text', text: 'Still.' }));
      const again = await run(['ask', 'look again', '--model', 'opus'], { env });
      expect([again.code, again.stdout]).toEqual([0, 'Still.\n']);
      expect(server.requests.at(-1)?.body.model).toBe('claude-haiku-4-5');
    }),
  ));
