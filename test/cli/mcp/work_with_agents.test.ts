import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentBin, pathWith } from '../../support/agents/agent_bin.js';
import { withCli } from '../../support/cli.js';
import { type ClientProfile, textIn, withOutsideClient } from '../../support/outside_client.js';

const PROFILE = { name: 'gemini', revision: '2025-06-18', shows: 'text', lengthMax: 40_000 } as const;

function profileWith(...installed: ('claude' | 'codex')[]): ClientProfile {
  return { ...PROFILE, environment: { PATH: pathWith(agentBin(...installed)), ANTHROPIC_API_KEY: 'sk-test' } };
}

test('one session is carried on by an agent, a model and another agent, and each knows what was said', () =>
  withCli((cli) =>
    withOutsideClient(cli, profileWith('claude', 'codex'), async ({ call, shown }) => {
      const session = { session_id: 'shared' };
      const first = await call('work_with', { agent: 'claude', task: 'say one', role: 'reviewer', ...session });
      expect(shown(first)).toContain('heard: say one');
      const consulted = await call('consult_with', {
        model: 'demo',
        question: 'demo: say I am the model.',
        ...session,
      });
      expect(shown(consulted)).toContain('I am the model.');
      const last = await call('work_with', { agent: 'codex', task: 'and now?', ...session });
      for (const said of ['say one', 'I am the model.']) expect(shown(last)).toContain(said);
      expect(await cli.print('show', 'shared')).toMatch(/\[claude:[\s\S]*\[codex:/);
    }),
  ));

test('an agent changes the project, and of one that is missing it is said how it is installed', () =>
  withCli((cli) =>
    withOutsideClient(cli, profileWith('claude'), async ({ call, shown }) => {
      const made = await call('work_with', { agent: 'claude', task: '[[tool:touch made && echo made]]' });
      expect(shown(made)).toContain('made');
      expect(existsSync(join(cli.folder, 'made'))).toBe(true);
      const failed = await call('work_with', { agent: 'codex', task: 'hello' });
      expect(failed.isError).toBe(true);
      expect(textIn(failed)).toMatch(/work_with failed: codex is not installed here\nhint: /);
    }),
  ));
