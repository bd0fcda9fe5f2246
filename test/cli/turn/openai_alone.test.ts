import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { objectOf } from '../../support/model/prompt_cache.js';
import { say } from '../../support/model/script.js';
import { KEY, withModelServer } from '../../support/model_server.js';

const THOUGHT = { kind: 'thinking', text: 'Let me look.' } as const;
const LS = { kind: 'call', id: 'c1', tool: 'bash', input: '{"command":"echo here","timeout":"5"}' } as const;
const DONE = { kind: 'text', text: 'All is here.' } as const;

test.each([
  ['that has the Responses API', [], ['/v1/responses', '/v1/responses']],
  [
    'that has chat completions only',
    ['/v1/responses'],
    ['/v1/responses', '/v1/chat/completions', '/v1/chat/completions'],
  ],
])('one key and the address of a server %s are enough to ask', (_name, missing, expected) =>
  withModelServer((server) =>
    withCli(async ({ run }) => {
      for (const path of missing) server.missing.add(path);
      // The request that the server does not know takes an answer from the script.
      server.script(...missing.map(() => say()), say(THOUGHT, LS), say(DONE));
      const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.openaiUrl };
      const { code, stdout, stderr } = await run(['ask', 'what is here?'], { env });
      expect([code, stdout]).toEqual([0, 'All is here.\n']);
      expect(stderr).toContain('[bash] echo here');
      expect(stderr).not.toContain('Not Found');
      expect(server.requests.map(({ path }) => path)).toEqual(expected);
    }),
  ),
);

test('how much is thought is what --thinking says, then the path, then the preference for the model', () =>
  withModelServer((server) =>
    withCli(async ({ run, print }) => {
      const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${server.openaiUrl}/responses` };
      const effortOf = async (...words: string[]): Promise<unknown> => {
        const { code, stderr } = await run(['ask', ...words], { env });
        if (code !== 0) throw new Error(stderr);
        return objectOf(server.requests.at(-1)?.body.reasoning).effort;
      };
      expect(await effortOf('a')).toBe('medium');
      await print('config', 'set', 'thinking', 'low, gpt=high');
      expect(await effortOf('@', 'b')).toBe('medium');
      expect(await effortOf('c')).toBe('high');
      expect(await effortOf('d', '--model', 'gpt-mini')).toBe('low');
      expect(await effortOf('@', 'e', '--model', 'gpt')).toBe('high');
      expect(await effortOf('@', 'f', '--thinking', 'max')).toBe('max');
      expect(await effortOf('@', 'g')).toBe('max');
      expect(await effortOf('@', 'h', '--thinking', 'off')).toBe('none');
      const { code, stderr } = await run(['ask', '@', 'i', '--thinking', 'much'], { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining('auto, off, low, medium, high, max')]);
      const refused = await run(['config', 'set', 'thinking', 'gpt=much'], { env });
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('for single models as in opus=max')]);
    }),
  ));
