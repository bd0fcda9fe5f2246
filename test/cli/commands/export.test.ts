import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Client } from '../../../hub/client/client.js';
import type { TreeId } from '../../../hub/protocol/node.js';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { type TestCli, withCli } from '../../support/cli.js';
import { connectTo } from '../../support/hub.js';
import { say } from '../../support/model/script.js';
import { answer, grow, ran, step, text, user } from '../../support/trees.js';
import { withTalk } from '../repl/conversation/talk.js';

const OUTPUT = Buffer.alloc(1_500_000, 'all of the output\n');

/** A conversation with everything that an export has to carry. */
async function fullTree({ home, print }: TestCli): Promise<string> {
  const client = await connectTo(home);
  const tree = await client.call('loom.tree_create', { name: 'everything' });
  const place = { tree: tree.id, parent: tree.id };
  await grow((method, params) => client.call(method, params as never), place, [
    user('question', step('', ['ls', 'pwd'], answer('answer'), answer('another'))),
    user('hidden'),
  ]);
  await addOutput(client, tree.id);
  await client.close();
  await print('use', 'everything');
  const skeleton = await print('show', '--ids', '--at', 'root');
  const [, hidden = ''] = /([0-9a-f]{8}) User: hidden/.exec(skeleton) ?? [];
  const [, reply = ''] = /([0-9a-f]{8}) Assistant: answer/.exec(skeleton) ?? [];
  await print('delete', '@', hidden);
  await print('mark', '@', 'the answer', reply);
  return reply;
}

async function addOutput(client: Client, tree: TreeId): Promise<void> {
  const upload = randomUUID();
  await client.call('loom.blob_write', { upload, offset: 0, data: OUTPUT.toString('base64'), done: false });
  const { output } = await client.call('loom.blob_write', { upload, offset: OUTPUT.length, data: '', done: true });
  const { node } = await client.call('loom.node_create_external', {
    ...{ tree, parent: tree.toString() as never, blocks: text('an excerpt') },
    external: { ...ran('make all'), output },
  });
  const sub = await client.call('loom.tree_create', { name: 'sub-session', owner: { tree, node: node.id } });
  await client.call('loom.node_create_text', {
    ...{ tree: sub.id, parent: sub.id.toString() as never, role: 'user', blocks: text('in the sub-session') },
  });
}

test.each(['json', 'jsonl'])('an export as %s gives the same tree in another home', async (format) => {
  await withCli(async (one) => {
    await fullTree(one);
    const file = join(one.folder, `tree.${format}`);
    await one.print('export', '--format', format, '--output', file);
    await withCli(async (other) => {
      expect(await other.print('import', file)).toMatch(
        /^Imported [0-9a-f]{8} {2}everything: 9 nodes\nImported [0-9a-f]{8} {2}sub-session: 2 nodes\n$/,
      );
      expect(await other.print('export', 'everything', '--format', format)).toBe(readFileSync(file, 'utf8'));
      expect(await other.print('fsck')).toBe('2 trees, 11 nodes, 1 stored output: all is well\n');
      expect(await other.print('import', file)).toMatch(
        /^Nothing new: [0-9a-f]{8} {2}everything is here already\nNothing new: [0-9a-f]{8} {2}sub-session is here already\n$/,
      );
    });
  });
});

test('an import gives a suffix to a name that is taken, and says so', async () => {
  await withCli(async (one) => {
    await fullTree(one);
    const exported = await one.print('export', '--format', 'jsonl');
    await withCli(async (other) => {
      await other.print('new', 'everything');
      const { code, stdout, stderr } = await other.run(['import', '-'], { input: exported });
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('everything (2): 9 nodes') });
      expect(stderr).toBe('The name "everything" is taken here; it is called "everything (2)".\n');
    });
  });
});

test('an import refuses what was changed, and what no export wrote', async () => {
  await withCli(async (one) => {
    await fullTree(one);
    const exported = await one.print('export', '--format', 'jsonl');
    await withCli(async (other) => {
      const refused = async (input: string) => {
        const { code, stderr } = await other.run(['import', '-'], { input });
        return { code, reason: stderr.split('\n')[0] };
      };
      expect(await refused(exported.replace('"text":"question"', '"text":"Question"'))).toMatchObject({
        code: 2,
        reason: expect.stringContaining('does not match its hash'),
      });
      expect(await refused(exported.replace('YWxsIG9mIHRoZSBvdXRwdXQK', 'QWxsIG9mIHRoZSBvdXRwdXQK'))).toMatchObject({
        code: 2,
        reason: expect.stringContaining('is damaged in the file'),
      });
      expect(await refused('')).toMatchObject({ code: 2, reason: expect.stringContaining('the input is empty') });
      expect(await refused('{"a":1}')).toMatchObject({
        code: 2,
        reason: expect.stringContaining('cannot be imported'),
      });
      expect(await refused('{"kind":"tree"')).toMatchObject({
        code: 2,
        reason: expect.stringContaining('it is cut off: its last line is missing'),
      });
      expect(await other.json('list')).toEqual([]);
    });
  });
});

test('the branch to the position is printed as text, and every branch with --all', async () => {
  await withCli(async (cli) => {
    const reply = await fullTree(cli);
    expect(await cli.print('export', '@', reply)).toBe(
      'User: question\n\n[bash] ls\noutput of ls\n\n[bash] pwd\noutput of pwd\n\nAssistant: answer\n\n',
    );
    const all = await cli.print('export', '--all');
    expect(
      all.match(/^(--- branch [\d.]+|User:|Assistant:|\[bash\]).*/gm)?.map((line) => line.replace(/from .*/, '')),
    ).toEqual([
      ...['--- branch 1 (one of 3 ', 'User: question', '[bash] ls', '[bash] pwd'],
      ...['--- branch 1.1 (one of 2 ', 'Assistant: answer', '--- branch 1.2 (one of 2 ', 'Assistant: another'],
      ...['--- branch 2 (one of 3 ', 'User: hidden', '--- branch 3 (one of 3 ', '[bash] make all'],
    ]);
  });
});

test('context --full shows stored outputs whole', async () => {
  await withCli(async (cli) => {
    await fullTree(cli);
    const [, node = ''] = /([0-9a-f]{8}) \[bash:make all/.exec(await cli.print('show', '--ids', '--at', 'root')) ?? [];
    const part = await cli.print('context', '@', node);
    expect(part).toContain('\nall of the output\n… 1.4 MiB left out of 1.4 MiB; --full shows all\n');
    expect(part.length).toBeLessThan(10_000);
    expect((await cli.print('context', '@', node, '--full')).length).toBeGreaterThan(OUTPUT.length);
  });
});

test('who names a file where a node belongs is told how one is written', () =>
  withCli(async ({ print, run }) => {
    await print('new', 'talk');
    for (const format of ['text', 'html']) {
      const { code, stderr } = await run(['export', '@', 'notes.md', '--format', format]);
      expect([code, stderr]).toEqual([3, expect.stringContaining('hint: to write a file: --output notes.md')]);
    }
  }));

test('a file is never overwritten silently, and never half written', async () => {
  await withCli(async (cli) => {
    const reply = await fullTree(cli);
    const file = join(cli.folder, 'talk.html');
    writeFileSync(file, 'precious');
    const words = ['export', '@', reply, '--format', 'html', '--output', file];
    expect(await cli.run(words)).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: `cognition: ${file} is there already\nhint: replace it with --force, or choose another name\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    await cli.print(...words, '--force');
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>.*<\/html>\n$/s);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(cli.folder)).toEqual(['talk.html']);
    expect((await cli.run(['export', '--output', join(cli.folder, 'none', 'x')])).code).toBe(3);
    expect(existsSync(join(cli.folder, 'none'))).toBe(false);
  });
});

interface PackedPage {
  nodes: { node: { role: string; blocks: { text?: string }[] }; up: number | null; preview: string }[];
  marks: { name: string }[];
}

/** The tree in an exported page. */
function packedIn(html: string): PackedPage {
  const [, data = ''] = /<script type="application\/octet-stream" id="data">([^<]*)</.exec(html) ?? [];
  return JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString());
}

test('what a model wrote and changed is whole in a text, in Markdown and in a page', async () => {
  await withTalk(async ({ cli, server, env }) => {
    const content = '#!/bin/sh\necho "<b>one</b> & two"\n\tdone\n';
    server.script(
      say(call('w', 'write', { path: 'run.sh', content })),
      say(call('e', 'edit', { path: 'run.sh', old_text: '<b>one', new_text: '<b>1' })),
      say(words('Made and changed.')),
    );
    await cli.print('new', 'script');
    const made = await cli.run(['ask', '@', 'make run.sh'], { env });
    expect([made.code, readFileSync(join(cli.folder, 'run.sh'), 'utf8')]).toEqual([0, content.replace('one', '1')]);
    const text = await cli.print('export');
    expect(text).toContain(`[write] run.sh\n${content}`);
    expect(text).toContain('[edit] run.sh\n-<b>one\n+<b>1\n[edited run.sh: 1 → 1 lines at line 2]\n\nAssistant');
    const markdown = await cli.print('export', '--format', 'markdown');
    expect(markdown).toContain(`### write \`run.sh\`\n\n\`\`\`\n${content}\`\`\`\n`);
    expect(markdown).toContain('```diff\n-<b>one\n+<b>1\n```\n\n```\n[edited run.sh: 1 → 1 lines at line 2]\n```\n');
    const page = await cli.print('export', '--format', 'html');
    const inputs = packedIn(page).nodes.map(({ node }) => JSON.stringify(node));
    expect(inputs.some((node) => node.includes(JSON.stringify(content).slice(1, -1)))).toBe(true);
    // Without script as well.
    const plain = /<noscript>([\s\S]*)<\/noscript>/.exec(page)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? '';
    expect(plain).toContain('echo &quot;&lt;b>one&lt;/b> &amp; two&quot;\n\tdone\n');
    expect(plain).toMatch(/&lt;b>one.*&lt;b>1/);
  });
});

test('a page holds the branch, with --all every branch, and with --no-outputs no output', async () => {
  await withCli(async (cli) => {
    const reply = await fullTree(cli);
    const page = (...words: string[]): Promise<string> => cli.print('export', '@', ...words, '--format', 'html');
    const [branch, all, silent] = [await page(reply), await page('--all'), await page('--all', '--no-outputs')];
    const texts = (html: string): string[] =>
      packedIn(html).nodes.map(({ node }) => `${node.role}: ${node.blocks.map(({ text = '' }) => text).join()}`);
    expect(texts(branch)).toEqual([
      'root: ',
      'user: question',
      'assistant: ,,',
      'tool: output of ls',
      'tool: output of pwd',
      'assistant: answer',
    ]);
    expect(texts(all)).toHaveLength(8);
    expect(texts(all)).toContain('tool: an excerpt');
    expect(texts(silent).filter((text) => text.startsWith('tool'))).toEqual(['tool: ', 'tool: ', 'tool: ']);
    expect(packedIn(branch).marks).toEqual([{ name: 'the answer', seq: expect.any(Number) }]);
    expect(packedIn(branch).nodes.map(({ preview }) => preview)).toContain('question');
    for (const html of [branch, all]) expect(html).toContain('<div class="said">question</div>');
    expect(all).not.toContain('hidden</div>');
    expect(await cli.run(['export', '--no-outputs'])).toMatchObject({
      stderr: expect.stringContaining('--no-outputs is for --format html, not for text'),
    });
  });
});

test('what a killed export left is removed by the next one to the same file', async () => {
  await withCli(async ({ folder, print }) => {
    await print('new', 'notes');
    const [dead, alive] = [2 ** 30, process.pid].map((pid) => `.talk.txt.${pid}.part`);
    for (const name of [dead, alive, '.talk.txt.mine.part']) writeFileSync(join(folder, name ?? ''), 'half');
    await print('export', '--output', 'talk.txt');
    expect(readdirSync(folder).toSorted()).toEqual([alive, '.talk.txt.mine.part', 'talk.txt'].toSorted());
  });
});

test('a link in the project that leads out of it is not exported through', async () => {
  await withCli(async ({ folder, print, run }) => {
    await print('new', 'notes');
    mkdirSync(join(folder, 'own'));
    mkdirSync(join(dirname(folder), 'elsewhere'));
    symlinkSync('own', join(folder, 'inside'));
    symlinkSync('../elsewhere', join(folder, 'out'));
    await print('export', '--output', 'inside/a.txt');
    expect(existsSync(join(folder, 'own', 'a.txt'))).toBe(true);
    const refused = await run(['export', '--output', 'out/a.txt']);
    expect(refused.stderr).toContain('a link in the project leads out/a.txt out of it');
    expect(refused.stderr).toContain(`name it: ${join(dirname(folder), 'elsewhere', 'a.txt')}`);
    expect(readdirSync(join(dirname(folder), 'elsewhere'))).toEqual([]);
    await print('export', '--output', join(dirname(folder), 'elsewhere', 'a.txt'));
    expect(readdirSync(join(dirname(folder), 'elsewhere'))).toEqual(['a.txt']);
  });
});

test('fsck rescues what is whole into a file for import', async () => {
  await withCli(async (cli) => {
    await fullTree(cli);
    const file = join(cli.folder, 'rescued.jsonl');
    await cli.print('fsck', '--rescue', file);
    await withCli(async (other) => {
      await other.print('import', file);
      expect(await other.print('fsck')).toBe('2 trees, 11 nodes, 1 stored output: all is well\n');
    });
  });
});

test('backup writes a copy beside nothing else', async () => {
  await withCli(async (cli) => {
    await fullTree(cli);
    const file = join(cli.folder, 'copy.db');
    expect(await cli.print('backup', 'copy.db')).toMatch(/copy\.db: [\d.]+ KiB, 1 stored output\n$/);
    expect(readFileSync(file).subarray(0, 15).toString()).toBe('SQLite format 3');
    expect((await cli.run(['backup', 'copy.db'])).code).not.toBe(0);
  });
});

test('an export tells once how a command failed', async () => {
  await withCli(async ({ print, run }) => {
    await print('new', 'failing');
    await run(['exec', 'failing', 'echo two; exit 3']);
    expect(await print('export', 'failing', '--format', 'text')).toBe(
      '[bash] echo two; exit 3\ntwo\n(exit code 3)\n\n',
    );
    expect(await print('export', 'failing', '--format', 'markdown')).not.toContain('Exit code');
  });
});
