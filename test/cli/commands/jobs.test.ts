import { expect, test } from 'vitest';
import { z } from 'zod';
import { withCli } from '../../support/cli.js';

const Jobs = z.object({
  jobs: z.array(z.object({ name: z.string(), tree: z.string(), ended: z.object({ how: z.string() }).nullable() })),
});
const Outcome = z.object({ tree: z.string() });

/** What the demo model is asked for, to start a job. */
const start = (input: object): string => `demo: call bash ${JSON.stringify({ background: true, ...input })}`;

test('jobs are listed, read and ended, of one conversation or of all', async () => {
  await withCli(async ({ print, run, json }) => {
    expect(await print('jobs')).toBe('Nothing runs in the background.\n');
    const napping = start({ command: "echo ready; printf '\\033[31mred\\033[0m\\n'; exec sleep 1000", job: 'web' });
    const { tree } = Outcome.parse(await json('ask', napping, '--model', 'demo/demo'));
    const { stderr } = await run(['ask', '@', start({ command: 'echo failing; exit 3', job: 'bad' })]);
    expect(stderr).toContain(`still running: web`);
    // Its end may come after the call.
    const states = async () =>
      Jobs.parse(await json('jobs', '@')).jobs.map(({ name, ended }) => [name, ended?.how ?? null]);
    await expect.poll(states, { timeout: 60_000 }).toEqual([
      ['web', null],
      ['bad', 'exit code 3'],
    ]);
    expect(await print('jobs', '@')).toMatch(/^web {2}running {6}.*echo ready;.*\nbad {2}exit code 3 {2}.*failing\n$/);
    expect(await print('jobs')).toContain(`${tree.slice(0, 8)}  web  running`);
    expect(await run(['jobs', '@', 'web'])).toMatchObject({ stdout: 'ready\nred\n', stderr: '(web is running)\n' });
    expect(await run(['jobs', '@', 'bad'])).toMatchObject({ stderr: '(bad has ended: exit code 3)\n' });
    expect(await run(['jobs', '@', 'other'])).toMatchObject({
      code: 3,
      stderr: 'cognition: there is no job "other"\nhint: the jobs are: web, bad\n',
    });
    expect(await run(['jobs', '--stop'])).toMatchObject({ code: 2, stdout: '' });
    expect(await print('jobs', '@', 'web', '--stop')).toBe('ended: web\n');
    expect(await json('jobs', '@', '--stop')).toEqual({ stopped: [] });
    expect(await print('jobs', '@', '--stop')).toBe('Nothing was running.\n');
    await print('ask', '@', napping);
    await print('delete', '@');
    expect(Jobs.parse(await json('jobs')).jobs.map(({ ended }) => ended?.how)).toContain('stopped by the person');
    await print('restore', tree);
    await print('ask', tree, napping);
    await print('purge', tree, '--yes');
    expect(Jobs.parse(await json('jobs')).jobs.filter(({ ended }) => ended === null)).toEqual([]);
  });
});
