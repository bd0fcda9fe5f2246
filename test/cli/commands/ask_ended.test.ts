import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { type TestCli, withCli } from '../../support/cli.js';
import { killHub } from '../../support/hub.js';
import { breaking, say } from '../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../support/model_server.js';
import { startProgram } from '../shell.js';

function withModel(use: (cli: TestCli, server: ModelServer, env: Record<string, string>) => Promise<void>) {
  return withModelServer((server) =>
    withCli((cli) =>
      use(cli, server, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin, COGNITION_MODEL: 'sonnet' }),
    ),
  );
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s stops the turn, what was said is kept, and --continue goes on from there', async (signal, code) => {
  await withModel(async (cli, server, env) => {
    server.script(breaking('hang', words('I was about to say')));
    const started = startProgram(cli, ['ask', 'hello', '--jsonl'], env);
    await server.hanging();
    await started.printed('say"');
    started.child.kill(signal);
    const ended = await started.ended;
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain('Interrupted. Go on with: cognition ask --continue');
    expect(await cli.print('show')).toMatch(/I was about to say.*● you are here/s);
    server.script(say(words('goodbye.')));
    expect(await cli.run(['ask', '--continue'], { env })).toMatchObject({ code: 0, stdout: 'goodbye.\n' });
  });
});

test('a turn whose client is killed goes on, and --continue watches it to its end', async () => {
  await withModel(async (cli, server, env) => {
    const gate = 'while [ ! -e go ]; do sleep 0.05; done';
    server.script(say(call('c1', 'bash', { command: gate })), say(words('Still here.')));
    const started = startProgram(cli, ['ask', 'wait', '--jsonl'], env);
    await started.printed('call_started');
    started.child.kill('SIGKILL');
    await started.ended;
    const watching = startProgram(cli, ['ask', '--continue', '--jsonl'], env);
    await watching.printed('turn_snapshot');
    writeFileSync(join(cli.folder, 'go'), '');
    const { code, stdout } = await watching.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('Still here.');
    expect(await cli.print('show')).toMatch(/Still here\..*● you are here/);
  });
});

test('a turn whose hub dies is reported as interrupted, and can be finished', async () => {
  await withModel(async (cli, server, env) => {
    server.script(say(words('First.'), call('c1', 'bash', { command: 'sleep 60' })));
    const started = startProgram(cli, ['ask', 'wait', '--jsonl'], env);
    await started.printed('call_started');
    await killHub(cli.home);
    const { code, stderr } = await started.ended;
    expect(code).toBe(6);
    expect(stderr).toContain('Interrupted: the hub has ended. Go on with: cognition ask --continue');
    server.script(say(words('Finished.')));
    expect(await cli.run(['ask', '--continue'], { env })).toMatchObject({ code: 0, stdout: 'Finished.\n' });
    expect(await cli.print('context')).toContain('interrupted: this call did not finish');
  });
});
