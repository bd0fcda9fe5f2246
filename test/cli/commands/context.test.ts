import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { renderModelContext } from '../../../cli/render/reports/model_context_text.js';
import { inOrder } from '../../../cli/reports/ordered_concurrency.js';
import { Sha256 } from '../../../hub/protocol/node.js';
import { type TestCli, withCli } from '../../support/cli.js';
import { lookAt } from '../../support/look.js';

const Sent = z.object({
  messages: z.array(z.object({ role: z.string() })),
  size_bytes: z.number(),
  estimated_tokens: z.number(),
});

function withTree(use: (cli: TestCli) => Promise<void>): Promise<void> {
  return withCli(async (cli) => {
    await cli.print('new', 'notes');
    await use(cli);
  });
}

test('what was seen stays, and --fresh tells what has changed since', async () => {
  await withTree(async ({ folder, print }) => {
    writeFileSync(join(folder, 'a'), 'one\n');
    writeFileSync(join(folder, 'b'), 'two\n');
    writeFileSync(join(folder, 'c'), 'three\n');
    for (const name of ['a', 'b', 'c']) await print('attach', '@', `file:${name}`);
    writeFileSync(join(folder, 'a'), 'one\nmore\n');
    rmSync(join(folder, 'b'));
    expect(bodies(await print('context'))).toEqual(['one', 'two', 'three']);
    const [a, b, c] = bodies(await print('context', '--fresh'));
    expect(a).toMatch(/^changed since: .*\none\nmore$/);
    expect(b).toContain('gone');
    expect(c).toBe('three');
  });
});

test('what somebody else has named is looked at again with --others alone', async () => {
  await withTree(async ({ folder, print, run, json }) => {
    const [mine, file] = [join(folder, 'mine'), join(folder, 'notes.jsonl')];
    writeFileSync(mine, 'as it was\n');
    await print('attach', '@', `file:${mine}`);
    await print('export', '@', '--format', 'jsonl', '--output', file);
    await print('purge', '@', '--yes');
    await print('import', file);
    writeFileSync(mine, 'a secret of now\n');
    const { stdout, stderr } = await run(['context', 'notes', '--fresh', '--full']);
    expect(stdout).toContain('it came from elsewhere');
    expect(stdout).not.toContain('secret of now');
    expect(stderr).toContain(`Not looked at again is what came with a file or from another hub: ${mine}.`);
    expect(JSON.stringify(await json('context', 'notes', '--fresh'))).not.toContain('secret of now');
    expect(await print('context', 'notes')).toContain('as it was');
    expect(await print('context', 'notes', '--fresh', '--others')).toContain('a secret of now');
    expect((await run(['context', 'notes', '--others'])).stderr).toContain('--others goes with --fresh');
  });
});

test('a long output is shown in part, and whole with --full', async () => {
  await withTree(async ({ print, run }) => {
    await print('exec', '@', 'seq 1 100000');
    const part = await print('context');
    expect(part).toContain('\n24\n…');
    expect(part).toContain('--full shows all\n99990\n');
    expect(await print('context', '--full')).toContain('\n50000\n');
    expect((await run(['context', '--full'])).stderr).toBe('');
  });
});

test('with --json handles are resolved when that is asked for', async () => {
  await withTree(async ({ print, json }) => {
    await print('exec', '@', 'echo hello');
    expect(await json('context')).toEqual([
      expect.objectContaining({ role: 'root', sent: true }),
      expect.not.objectContaining({ resolved: expect.anything() }),
    ]);
    expect(await json('context', '--full')).toMatchObject([
      { role: 'root', resolved: null },
      { role: 'tool', resolved: { text: 'hello\n', total_bytes: 6, placeholder: null, changed: null } },
    ]);
  });
});

test('--model prints what a model would be sent, and how much that is', async () => {
  await withTree(async ({ print, run, json }) => {
    await print('add', '@', 'what is here?');
    await print('exec', '@', 'echo a file');
    const { code, stdout, stderr } = await run(['context', '--model']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^--- user\nwhat is here\?\n\n--- user\n.*echo a file.*\na file\n\n$/s);
    expect(stderr).toMatch(/^2 messages, \d+ bytes, about \d+ tokens \(an estimate: a token for 4 bytes\)\n$/);
    const sent = Sent.parse(await json('context', '--model'));
    expect(sent.messages).toHaveLength(2);
    expect(sent.estimated_tokens).toBe(Math.ceil(sent.size_bytes / 4));
    expect(await run(['context', '--model', '--fresh'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['context', '--model', '--full'])).toMatchObject({ code: 2, stdout: '' });
  });
});

test('every kind of content of a message is shown safely', () => {
  const image = {
    type: 'image',
    sha256: Sha256.parse('0'.repeat(64)),
    media_type: 'image/png',
    width: 2,
    height: 3,
  } as const;
  const sent = {
    ...{ system_prompt: 'Be \x1b[31mbrief', tools: [{ name: 'bash\x07' }, 7], size_bytes: 1, images: 1, left_out: 0 },
    messages: [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'hi\x9b2J' }, image] },
      {
        role: 'assistant' as const,
        content: [
          { type: 'thinking' as const, text: 'hm', signature: 's' },
          { type: 'call' as const, id: 'c1', tool: 'bash', input: { command: 'ls\x1b' } },
        ],
      },
      {
        role: 'user' as const,
        content: [
          { type: 'result' as const, id: 'c1', content: [{ type: 'text' as const, text: 'no' }], failed: true },
        ],
      },
    ],
  };
  expect([...renderModelContext(sent, lookAt(80))].join('')).toBe(`--- system prompt
Be brief

--- 2 tools
bash
7

--- user
hi
[image 2x3 image/png]

--- assistant
[thinking] hm
[call c1: bash] {"command":"ls\\u001b"}

--- user
[result of c1, failed]
no

`);
});

test('concurrent work is bounded and keeps its order, and a failure is reported in its turn', async () => {
  let atWork = 0;
  let most = 0;
  const gates = Array.from({ length: 10 }, () => deferred());
  const work = async (item: number): Promise<number> => {
    atWork += 1;
    most = Math.max(most, atWork);
    await gates[item]?.promise;
    atWork -= 1;
    if (item === 7) throw new Error('the seventh fails');
    return item;
  };
  async function* items(): AsyncGenerator<number> {
    for (let item = 0; item < 10; item++) yield item;
  }
  const seen: number[] = [];
  // The later ones are done first.
  for (const gate of gates.toReversed()) gate.resolve();
  await expect(
    (async () => {
      for await (const item of inOrder(items(), 3, work)) seen.push(item);
    })(),
  ).rejects.toThrow('the seventh fails');
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBeLessThanOrEqual(3);
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** What stands below the head line of each node. */
function bodies(printed: string): string[] {
  return printed
    .trimEnd()
    .split('\n\n')
    .map((paragraph) => paragraph.split('\n').slice(1).join('\n'));
}
