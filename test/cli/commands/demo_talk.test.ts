import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';
import { after } from '../repl/conversation/talk.js';

test('a chat with the demo model shows changes, sub-sessions, a plan and a failure, with real tools', async () => {
  await withCli(async ({ run, home, folder }) => {
    const lines = ['write a program', 'change the program', 'use two sub-sessions', 'fail', '/plan on', 'make a plan'];
    // In a person's own home folder there are no plans: what is below .cognition is hidden there.
    const env = { HOME: home };
    const input = [...lines, '2', '/execute', ''].join('\n');
    const { stdout, stderr } = await run(['chat', '--model', 'demo'], { input, env });
    expect(after(stdout, 'change the program')).toMatch(
      /^\+echo 'One line more\.'\n.*says:\n\n```\nOne line more\.\n/ms,
    );
    expect(after(stdout, 'use two sub-sessions')).toMatch(/Both are done\..*1\. I have counted:\n2\. I found 1 file/s);
    expect(stderr).toContain('cognition: the demo model failed as it was told to: rejected\n');
    expect(stdout).toContain('What shall the program say?\n');
    expect(readFileSync(join(folder, '.cognition/plan.md'), 'utf8')).toContain('which says: Bonjour !\n');
    expect(stdout).toMatch(/> Carry out the plan\.\n.*hello-demo\.sh is written, and says:\n\n```\nBonjour !\n```/s);
    expect(existsSync(join(folder, 'hello-demo.sh'))).toBe(true);
  });
});
