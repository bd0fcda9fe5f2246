import { expect, test } from 'vitest';
import { z } from 'zod';
import { words } from '../../hub/agent/turn/turn_calls.js';
import { withCli } from '../../support/cli.js';
import { say } from '../../support/model/script.js';
import { KEY, withModelServer } from '../../support/model_server.js';

const Sum = z.object({ requests: z.int(), price_microdollars: z.int(), unknown_price: z.int(), tokens_in: z.int() });
const Costs = z.object({
  tree: z.string().nullable(),
  total: Sum,
  branch: z.object({ total: Sum, below: z.object({ since: z.string(), cost: Sum }).nullable() }).nullable(),
  parts: z.array(z.object({ key: z.string(), cost: Sum })),
});
const Outcome = z.object({ tree: z.string(), tip: z.string() });

/** Tables without the widths of their columns. */
const rows = (printed: string): string[] => printed.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | '));

test('before anything was asked of a model the account is a plain line', async () => {
  await withCli(async ({ print, run, json }) => {
    expect(await print('cost')).toBe('Nothing has been asked of a model yet.\n');
    await print('new', 'notes');
    await print('add', '@', 'a note');
    expect(await print('cost')).toBe('Nothing has been asked of a model in this conversation yet.\n');
    expect(await print('cost', '@', '@')).toBe('Nothing has been asked of a model on the way to this node yet.\n');
    expect(await print('cost', '--all', '--since', 'today')).toBe('Nothing has been asked of a model since then.\n');
    const { total, branch, parts } = Costs.parse(await json('cost', 'notes', '--by', 'day'));
    expect({ requests: total.requests, branch, parts }).toEqual({ requests: 0, branch: null, parts: [] });
    for (const wrong of [
      ['--by', 'year'],
      ['@', '--all'],
      ['@', '--by', 'tree'],
      ['--since', 'soon'],
    ]) {
      expect(await run(['cost', ...wrong]), wrong.join(' ')).toMatchObject({ code: 2, stdout: '' });
    }
    expect(await run(['cost', '--all', '--by', 'turn'])).toMatchObject({
      code: 2,
      stderr: 'cognition: --by turn needs one conversation\nhint: cognition cost <tree> --by turn\n',
    });
    expect(await run(['cost', 'nowhere'])).toMatchObject({ code: 3 });
    expect(await run(['cost', '@', 'nowhere'])).toMatchObject({ code: 3 });
  });
});

test('a request counts once, and what is new below a fork stands apart from what branches share', async () => {
  await withCli(async ({ print, json }) => {
    const first = Outcome.parse(await json('ask', 'demo: say one', '--model', 'demo/demo'));
    await print('ask', '@', 'demo: say two');
    await print('ask', '@', 'demo: say three', '--at', first.tip);
    const { tree, total, branch } = Costs.parse(await json('cost'));
    expect({ tree, requests: total.requests }).toEqual({ tree: first.tree, requests: 3 });
    expect(branch?.total.requests).toBe(2);
    expect(branch?.below).toMatchObject({ since: first.tip, cost: { requests: 1 } });
    const shown = rows(await print('cost'));
    expect(shown.map((line) => line.split(' | ').slice(0, 2))).toEqual([
      ['requests', 'in'],
      ['this conversation', '3'],
      [expect.stringMatching(/^up to [0-9a-f]{8}$/), '2'],
      [`new below ${first.tip.slice(0, 8)}`, '1'],
      ['before that', '1'],
      [''],
    ]);
    expect(rows(await print('cost', '@', first.tip))[1]).toMatch(/^up to .* \| 1 \| .* \| \$0$/);
    expect(rows(await print('cost', '@', '--by', 'turn'))).toEqual([
      expect.stringMatching(/^requests/),
      expect.stringMatching(/^[0-9a-f]{8} demo: say one \| 1 /),
      expect.stringMatching(/^[0-9a-f]{8} demo: say two \| 1 /),
      expect.stringMatching(/^[0-9a-f]{8} demo: say three \| 1 /),
      expect.stringMatching(/^together \| 3 /),
      '',
    ]);
    expect(rows(await print('cost', '@', '@', '--by', 'model'))[1]).toMatch(/^demo\/demo \| 2 /);
    expect(rows(await print('cost', '--by', 'tree'))[1]).toMatch(/^[0-9a-f]{8} demo: say one \| 3 /);
    expect(rows(await print('cost', '--all'))[1]).toMatch(/^all conversations \| 3 /);
    expect(rows(await print('cost', '--by', 'day', '--since', '12h'))[1]).toMatch(/^\d{4}-\d{2}-\d{2} \| 3 /);
    await print('delete', first.tree);
    expect(rows(await print('cost', '--by', 'tree'))[1]).toMatch(/^[0-9a-f]{8} demo: say one \| 3 /);
  });
});

test('what sub-sessions spent stands apart from what a conversation spent itself, and they can be listed', async () => {
  await withCli(async ({ print, json, run }) => {
    const { tree } = Outcome.parse(
      await json('ask', 'demo: call spawn_session {"task": "demo: say one"}', '--model', 'demo'),
    );
    expect(rows(await print('cost')).map((line) => line.split(' | ').slice(0, 2))).toEqual([
      ...[
        ['requests', 'in'],
        ['this conversation', '2'],
        [expect.stringMatching(/^up to/), '2'],
      ],
      ...[['its sub-sessions', '1'], ['']],
    ]);
    expect(await json('cost')).toMatchObject({ owned: { requests: 1 }, total: { requests: 2 } });
    expect(await json('list')).toMatchObject([{ id: tree }]);
    expect(await json('list', '--of', '@')).toMatchObject([{ title: 'demo: say one', owner: { tree } }]);
    expect(await print('list', '--of', tree.slice(0, 8))).toMatch(/^ {2}[0-9a-f]{8} {2}demo: say one {2}2 messages /);
    const { id: below } = z.array(z.object({ id: z.string() })).parse(await json('list', '--of', '@'))[0] ?? { id: '' };
    expect(await run(['list', '--of', below])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'It has no sub-sessions.\n',
    });
    expect(await run(['list', '--of', 'nowhere'])).toMatchObject({ code: 3 });
  });
});

test('a price that nobody knows is unknown, never nothing', async () => {
  await withModelServer(async (server) => {
    await withCli(async ({ run, print, json }) => {
      server.script(say(words('Hello.')));
      const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin };
      await run(['ask', 'hello', '--model', 'anthropic/claude-sonnet-5'], { env });
      const { total } = Costs.parse(await json('cost'));
      expect(total).toMatchObject({ requests: 1, unknown_price: 1, price_microdollars: 0 });
      expect(await print('cost')).toMatch(/unknown for 1\n.*unknown for 1\n1 request is in no price, because/);
      await print('ask', '@', 'demo: say free', '--model', 'demo');
      expect(await print('cost')).toContain('$0, unknown for 1\n');
      const models = rows(await print('cost', '--by', 'model')).map((line) => line.split(' | ')[0]);
      expect(models.slice(1, 4)).toEqual(['anthropic/claude-sonnet-5', 'demo/demo', 'together']);
    });
  });
});
