import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { KEY, withModelServer } from '../../support/model_server.js';

test('--web holds for the branch from there on, until --no-web', () =>
  withModelServer((server) =>
    withCli(async ({ run }) => {
      const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin, COGNITION_MODEL: 'sonnet' };
      const lines = [
        ['ask', 'hi'],
        ['ask', '@', 'look', '--web'],
        ['ask', '@', 'on'],
        ['ask', '@', 'no', '--no-web'],
      ];
      for (const line of lines) expect(await run(line, { env })).toMatchObject({ code: 0 });
      expect(server.requests.map(({ text }) => text.includes('"name":"fetch"'))).toEqual([false, true, true, false]);
    }),
  ));
