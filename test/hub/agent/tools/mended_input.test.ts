import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mendedInput } from '../../../../hub/agent/tools/mended_input.js';
import { TOOL_INPUTS, type ToolName } from '../../../../hub/agent/tools/tool_definitions.js';
import { say } from '../../../support/model/script.js';
import { told, withAgent } from '../../../support/turns.js';
import { call, words } from '../turn/turn_calls.js';

function mended(tool: ToolName, input: unknown): unknown {
  const first = TOOL_INPUTS[tool].safeParse(input);
  if (first.success) return first.data;
  const again = TOOL_INPUTS[tool].safeParse(mendedInput(input, first.error.issues));
  return again.success ? again.data : 'refused';
}

test.each([
  ['bash', { command: 'ls', timeout: '5' }, { command: 'ls', timeout: 5 }],
  ['bash', { command: '5', timeout: null }, { command: '5' }],
  ['read', { path: '1', offset: '2', limit: '3' }, { path: '1', offset: 2, limit: 3 }],
  ['ask_user', { question: 'a?', options: '["x","y"]' }, { question: 'a?', options: ['x', 'y'] }],
  [
    'spawn_session',
    { task: 'a', attachable: 'true', sandbox: { network: 'false' } },
    { task: 'a', attachable: true, sandbox: { network: false } },
  ],
  ['bash', { command: 'ls', timeout: 'soon' }, 'refused'],
  ['bash', { command: 'ls', timeout: '-5' }, 'refused'],
  ['bash', { command: null, job: 'web' }, { job: 'web' }],
  ['write', { path: 'a', content: null }, 'refused'],
  ['bash', { command: 5 }, 'refused'],
  ['read', '{"path":"a"}', 'refused'],
  ['read', [], 'refused'],
] as const)('%s takes %j as %j', (tool, input, expected) => {
  const before = structuredClone(input);
  expect(mended(tool, input)).toEqual(expected);
  expect(input).toEqual(before);
});

test('a model that writes numbers as texts has its command run, and its call is kept as it wrote it', () =>
  withAgent(async ({ say: ask, run, path, server, project }) => {
    server.script(say(call('c1', 'bash', { command: 'touch done; echo ok', timeout: '5' })), say(words('Done.')));
    const { tip, state } = await run(await ask('go'));
    expect(state).toBe('done');
    expect(existsSync(join(project, 'done'))).toBe(true);
    const nodes = await path(tip);
    expect(told(nodes)).toContain('bash: ok\n');
    expect(JSON.stringify(nodes)).toContain('"timeout":"5"');
  }));
