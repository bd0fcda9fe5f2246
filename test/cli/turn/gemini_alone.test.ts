import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { say } from '../../support/model/script.js';
import { KEY, withModelServer } from '../../support/model_server.js';

const THOUGHT = { kind: 'thinking', text: 'Let me look.' } as const;
const LS = { kind: 'call', id: 'c1', tool: 'bash', input: '{"command":"echo here"}' } as const;
const PWD = { kind: 'call', id: 'c2', tool: 'bash', input: '{"command":"true"}' } as const;

test('one key of Google and nothing else is enough to ask, to go on, and to be told what it cost', () =>
  withModelServer((server) =>
    withCli(async ({ run }) => {
      server.script(say(THOUGHT, LS, PWD), say(THOUGHT, { kind: 'text', text: 'All is here.' }));
      const env = { GOOGLE_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: server.origin };
      const { code, stdout, stderr } = await run(['ask', 'what is here?'], { env });
      expect([code, stdout]).toEqual([0, 'All is here.\n']);
      expect(stderr).toContain('[bash] echo here');
      const again = await run(['ask', '@', 'and now?'], { env });
      expect([again.code, again.stdout]).toEqual([0, 'Hello.\n']);
      const paths = server.requests.map(({ path }) => path);
      expect(new Set(paths)).toEqual(new Set(['/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse']));
      expect(server.requests[2]?.text.match(/"thoughtSignature":"(?!skip_)/g)).toHaveLength(2);
    }),
  ));
