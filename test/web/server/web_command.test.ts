import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';

test.each(['x', '0', '65536', '1e3', ''])('the port %j is refused with what there is instead', (port) =>
  withCli(async ({ run }) => {
    const { code, stdout, stderr } = await run(['web', '--no-open', '--port', port]);
    expect({ stdout, failed: code !== 0 }).toEqual({ stdout: '', failed: true });
    expect(stderr).toBe(
      `cognition: --port takes a number from 1 to 65535, not ${JSON.stringify(port)}\n` +
        'hint: without it any free port is taken: cognition web\n',
    );
  }),
);

test('a conversation that is not there is refused before anything is served', () =>
  withCli(async ({ run }) => {
    const { code, stdout, stderr } = await run(['web', 'nothing', '--no-open']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/^cognition: no tree "nothing"/);
  }));
