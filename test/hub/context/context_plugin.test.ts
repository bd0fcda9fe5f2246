import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type External, NodeId } from '../../../hub/protocol/node.js';
import { ran, text } from '../../support/trees.js';
import { withBranch } from './context_branch.js';

describe('resolving a handle', () => {
  test('gives what was stored, exactly', async () => {
    await withBranch(async (tree) => {
      const node = await tree.external(await tree.output('a.ts\nb.ts\n数据 🍎\r\n'));
      expect(await tree.resolve(node)).toEqual({
        ...{ text: 'a.ts\nb.ts\n数据 🍎\r\n', total_bytes: 23, left_out_bytes: 0 },
        ...{ placeholder: null, changed: null },
      });
    });
  });

  test('gives head and tail of what is longer, and cuts no character in two', async () => {
    await withBranch(async (tree) => {
      const node = await tree.external(await tree.output('🍎'.repeat(100_000)));
      for (const bytes_max of [1, 2, 3, 5, 7, 9, 1_001, 262_147]) {
        const { text: shown, total_bytes, left_out_bytes } = await tree.resolve(node, { bytes_max });
        expect(shown).not.toContain('\uFFFD');
        expect(shown).toContain(`[… ${left_out_bytes} bytes left out …]`);
        expect([total_bytes, left_out_bytes + 4 * (shown.split('🍎').length - 1)]).toEqual([400_000, 400_000]);
      }
    });
  });

  test('gives both ends of what was not stored whole, and says how much is missing', async () => {
    await withBranch(async (tree) => {
      const { output } = await tree.output(`${'first\n'.repeat(10)}${'last\n'.repeat(20)}`);
      if (output === null) throw new Error('it was stored');
      const cut = { output: { ...output, total_bytes: 100_000 } };
      const { handle } = ran('flood');
      const told = await tree.external({ ...cut, handle: { ...handle, metadata: { head_bytes: 60 } } });
      expect(await tree.resolve(told)).toMatchObject({
        text: `${'first\n'.repeat(10)}[… 99845 bytes left out …]\n${'last\n'.repeat(19)}`,
        ...{ total_bytes: 100_000, left_out_bytes: 99_845 },
      });
      expect((await tree.resolve(told, { bytes_max: 24 })).text).toBe(
        'first\nfirst\n[… 99978 bytes left out …]\nlast\nlast\n',
      );
      const untold = await tree.external(cut);
      expect(await tree.resolve(untold)).toMatchObject({ total_bytes: 100_000, left_out_bytes: 99_845 });
    });
  });

  test('does not show binary data as text', async () => {
    await withBranch(async (tree) => {
      const node = await tree.external(await tree.output(Buffer.from([0x89, 0x50, 0, 1, 2, 255])));
      expect(await tree.resolve(node)).toMatchObject({
        ...{ text: '[binary data, 6 bytes]', left_out_bytes: 6, placeholder: 'what was seen is no text' },
      });
    });
  });

  test('makes text of a stored page, and shows its markup where no plugin reads it', async () => {
    await withBranch(async (tree) => {
      const page = await tree.output('<title>Fruit</title><h1>Pears</h1><script>x</script><p>and <b>apples</b></p>');
      const metadata = { url: 'http://fruit.test/', content_type: 'text/html; charset=utf-8' };
      const handle = { source: 'http', source_version: '1.0.0', identifier: 'http://fruit.test/', metadata };
      const read = await tree.resolve(await tree.external({ ...page, handle }));
      expect(read).toMatchObject({ placeholder: null, changed: null });
      expect(read.text).toMatch(/^Fruit\n[^<]*Pears[^<]*and apples/);
      const unread = await tree.resolve(await tree.external({ ...page, handle: { ...handle, source: 'pigeons' } }));
      expect(unread.text).toContain('<h1>Pears</h1>');
    });
  });

  test('of a command that printed nothing gives what a model was shown', async () => {
    await withBranch(async (tree) => {
      const node = await tree.external({});
      expect(await tree.resolve(node)).toMatchObject({ text: 'shown then', placeholder: null });
    });
  });

  test('becomes a placeholder when nothing can be found any more', async () => {
    await withBranch(async (tree) => {
      const lost = await tree.external(await tree.output('soon gone'));
      rmSync(tree.outputs, { recursive: true });
      expect(await tree.resolve(lost)).toMatchObject({ text: 'shown then', placeholder: expect.any(String) });
      const handle = { source: 'pigeons', source_version: '1', identifier: 'coo', metadata: {} };
      const unknown = await tree.external({ handle, exit_code: null });
      expect(await tree.resolve(unknown)).toMatchObject({
        ...{ text: 'shown then', placeholder: 'no plugin knows the source "pigeons"' },
      });
      expect(await tree.resolve(lost, { fresh: true })).toMatchObject({ placeholder: expect.any(String) });
      const failing = await tree.external({ handle: { ...handle, source: 'postgres' }, exit_code: null });
      expect(await tree.resolve(failing, { fresh: true })).toMatchObject({
        placeholder: 'the handle coo names no query',
      });
    });
  });

  test('refuses a node of text, and one that is not there', async () => {
    await withBranch(async (tree) => {
      const node = await tree.say('user', 'hello');
      await expect(tree.resolve(node)).rejects.toThrow(`the node ${node} is text: there is no handle to resolve`);
      await expect(tree.resolve(NodeId.parse(randomUUID()))).rejects.toMatchObject({ data: { kind: 'not_found' } });
    });
  });
});

test('a call that is no command and stored nothing resolves to what a model was shown', async () => {
  await withBranch(async (tree) => {
    const handle = { source: 'http', source_version: '1.0.0', identifier: 'http://page.test/', metadata: {} };
    const node = await tree.external({ handle, exit_code: null });
    expect(await tree.resolve(node)).toMatchObject({ text: 'shown then', placeholder: null });
  });
});

describe('rendering a path', () => {
  test('reads like a conversation, with every handle resolved', async () => {
    await withBranch(async (tree) => {
      await tree.say('user', 'What is here?');
      await tree.external({ ...ranWith('ls old', 2), ...(await tree.output('old.ts\n')) });
      await tree.say('summary', 'They looked.');
      await tree.say('user', 'And in src?');
      const { nodes } = await tree.step(
        [{ type: 'thinking', text: 'secret thought', signature: null }, ...text('I look.')],
        {
          'ls src': 'a.ts\nb.ts\n',
          'cat gone': null,
        },
      );
      await tree.say('assistant', 'Two files.');
      expect(await tree.render()).toEqual({
        ...{ nodes: 8, handles: 3, placeholders: 1, excerpts: 0 },
        text: [
          'User (not sent: before a summary): What is here?',
          '[bash:ls old] exit 2 (not sent: before a summary)\nold.ts',
          'Summary: They looked.',
          'User: And in src?',
          'Assistant: I look.',
          '[bash:ls src]\na.ts\nb.ts',
          '[bash:cat gone]\n(not resolved: the call was interrupted: nothing more is known of it)\nshown then',
          'Assistant: Two files.\n',
        ].join('\n\n'),
      });
      expect(nodes).toHaveLength(3);
    });
  });

  test('keeps to its budgets, and says how to read the rest', async () => {
    await withBranch(async (tree) => {
      const long = await tree.external(await tree.output(`${'x'.repeat(99)}\n`.repeat(1_000)));
      const first = await tree.render({ handle_bytes_max: 200 });
      expect(first.text).toContain(`\n[… 99800 bytes left out …]\n`);
      expect(first.text).toContain(
        `(99800 of 100000 bytes are left out; all of it: cognition output ${long.slice(0, 8)})`,
      );
      expect(first).toMatchObject({ handles: 1, placeholders: 0, excerpts: 1 });
      for (let number = 0; number < 60; number += 1) await tree.external(await tree.output(`${number}\n`.repeat(500)));
      await tree.say('user', 'y'.repeat(50_000));
      const { text: whole, ...counts } = await tree.render({ total_bytes_max: 20_000 });
      expect(Buffer.byteLength(whole)).toBeLessThanOrEqual(20_000);
      expect(Buffer.byteLength(whole)).toBeGreaterThan(15_000);
      expect(whole).toMatch(/\[… \d+ nodes left out …\]/);
      expect(whole).toMatch(/y{100}\n\(an excerpt; all of it: cognition context @ [0-9a-f]{8} --full\)\n$/);
      expect(counts).toMatchObject({ nodes: 62, handles: 61 });
      const tiny = await tree.render({ total_bytes_max: 1, handle_bytes_max: 1 });
      expect(Buffer.byteLength(tiny.text)).toBeLessThan(600);
    });
  });

  test('of an empty tree is empty', async () => {
    await withBranch(async (tree) => {
      expect(await tree.render()).toEqual({ text: '', nodes: 0, handles: 0, placeholders: 0, excerpts: 0 });
    });
  });

  test('of many thousand nodes stays small, and others are answered meanwhile', async () => {
    await withBranch(async (tree) => {
      await tree.sayMany(20_000);
      const rendering = tree.render({ total_bytes_max: 50_000 });
      const other = await tree.hub.connect();
      expect((await other.call('health.check', {})).status).toBe('ok');
      const { text: whole, nodes } = await rendering;
      expect([nodes, Buffer.byteLength(whole) <= 50_000]).toEqual([20_000, true]);
      expect(whole.startsWith('User: message 0\n\nUser: message 1\n')).toBe(true);
      expect(whole.endsWith('User: message 19998\n\nUser: message 19999\n')).toBe(true);
    });
  });

  test('stops when its caller cancels', async () => {
    await withBranch(async (tree) => {
      await tree.sayMany(5_000);
      const controller = new AbortController();
      const { node, hub } = tree.at();
      const rendering = hub.client.call('context.render', { node }, { signal: controller.signal });
      controller.abort();
      await expect(rendering).rejects.toMatchObject({ data: { kind: 'cancelled' } });
    });
  });
});

describe('the context of a model', () => {
  test('is made from the rows alone, with the settings of the newest message', async () => {
    await withBranch(async (tree) => {
      const settings = { system_prompt: 'be brief', tools: [{ name: 'bash' }], level: '', model: 'm', thinking: null };
      const { sha256 } = await tree.hub.client.call('loom.settings_put', { settings });
      await tree.say('user', 'before');
      await tree.say('summary', 'so far');
      await tree.external({ ...ranWith('ls', 0), ...(await tree.output('whole')) });
      const { nodes } = await tree.step(
        [{ type: 'thinking', text: 'hm', signature: 'signed' }, ...text('I look.')],
        { 'ls src': 'a.ts\n' },
        sha256,
      );
      const [message] = nodes;
      const expected = {
        ...{ system_prompt: 'be brief', tools: [{ name: 'bash' }], images: 0, left_out: 1 },
        messages: [
          { role: 'user', content: text('so far') },
          { role: 'user', content: [...text('I ran bash: ls'), ...text('shown then')] },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', text: 'hm', signature: 'signed' },
              ...text('I look.'),
              { type: 'call', id: 'call-0', tool: 'bash', input: { command: 'ls src' } },
            ],
          },
          { role: 'user', content: [{ type: 'result', id: 'call-0', content: text('shown then'), failed: false }] },
        ],
      };
      const { size_bytes, ...sent } = await tree.model();
      expect(sent).toEqual(expected);
      const { system_prompt, tools, messages } = expected;
      expect(size_bytes).toBe(Buffer.byteLength(JSON.stringify({ system_prompt, tools, messages })));
      // A node inside a step stands for its end.
      expect(await tree.model(message?.id)).toEqual({ ...expected, size_bytes });
      // Outputs are not needed for it.
      rmSync(tree.outputs, { recursive: true });
      expect(await tree.model()).toEqual({ ...expected, size_bytes });
    });
  });

  test('that is longer than any model takes is refused, unless a summary makes it short again', async () => {
    await withBranch(async (tree) => {
      for (const letter of ['a', 'b', 'c']) await tree.say('user', letter.repeat(7_000_000));
      await expect(tree.model()).rejects.toMatchObject({ data: { kind: 'context_too_long' } });
      await tree.say('summary', 'abc');
      expect(await tree.model()).toMatchObject({ messages: [{ role: 'user', content: text('abc') }], left_out: 3 });
    });
  });

  test('of an empty tree is empty', async () => {
    await withBranch(async (tree) => {
      expect(await tree.model()).toMatchObject({ system_prompt: '', tools: [], messages: [], images: 0, left_out: 0 });
    });
  });
});

function ranWith(command: string, exit_code: number): Partial<External> {
  return { ...ran(command), exit_code };
}
