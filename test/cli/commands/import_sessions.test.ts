import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type TestCli, userHomeBeside, withCli } from '../../support/cli.js';
import { SAMPLES } from '../transfer/history/reading.js';

const Trees = z.array(z.object({ id: z.string(), title: z.string(), project: z.string().nullable() }));
const SESSION = '00e39190-8bd5-41fe-923a-8f573222c546.jsonl';

/** Where an agent keeps its sessions, below the person's home folder. */
const FOLDERS: Record<string, [sample: string, ...below: string[]]> = {
  claude: ['claude', '.claude'],
  codex: ['codex', '.codex'],
  gemini: ['gemini', '.gemini'],
  pi: ['pi', '.pi', 'agent'],
};

/** Puts the samples of an agent where it keeps its sessions, as if they had been made in the test's folder. */
function installSamples({ folder }: TestCli, name: string): string {
  const [sample, ...below] = FOLDERS[name] ?? [name];
  const target = join(userHomeBeside(folder), ...below);
  cpSync(join(SAMPLES, sample), target, { recursive: true });
  for (const path of filesIn(target)) {
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('/srv/project', folder));
  }
  return target;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}

test('sessions of this project become conversations with forks and sub-sessions, and a second import adds nothing', async () => {
  await withCli(async (cli) => {
    installSamples(cli, 'claude');
    const printed = await cli.print('import', '--from', 'claude');
    expect(printed.replace(/[0-9a-f]{8}(?= )/g, 'xxxxxxxx')).toBe(
      `Imported xxxxxxxx  first question: 30 nodes
Imported xxxxxxxx  first question: 32 nodes, some of which were here already
35 new nodes in 1 conversation and in 1 sub-session
`,
    );
    const [tree, ...others] = Trees.parse(await cli.json('list'));
    expect([tree?.title, tree?.project, others]).toEqual(['first question', cli.folder, []]);
    expect(await cli.print('show', tree?.id ?? '')).toContain('an alternative second question, in a fork');
    expect(await cli.print('search', 'count the files')).toContain('sub agent task');
    expect(await cli.print('import', '--from', 'claude')).toBe(
      'Nothing new in 3 sessions of claude; 3 sessions not changed since\n',
    );
    // Named, everything is read again.
    const named = await cli.print('import', '--from', 'claude', join(userHomeBeside(cli.folder), '.claude'));
    expect(named).toBe('Nothing new in 3 sessions of claude\n');
    expect((await cli.run(['fsck'])).code).toBe(0);
  });
});

test('what was imported can be gone on with', async () => {
  await withCli(async (cli) => {
    installSamples(cli, 'pi');
    await cli.print('import', '--from', 'pi');
    const [tree] = Trees.parse(await cli.json('list'));
    const leaves = z
      .array(z.object({ node: z.object({ id: z.string() }) }))
      .parse(await cli.json('leaves', tree?.id ?? ''));
    expect(leaves).toHaveLength(2);
    for (const { node } of leaves) {
      const words = ['ask', tree?.id ?? '', 'demo: say Here I am.', '-m', 'demo', '--at', node.id];
      expect(await cli.print(...words)).toContain('Here I am.');
    }
    const [a, b] = leaves.map(({ node }) => node.id);
    expect(await cli.print('compare', tree?.id ?? '', a ?? '', b ?? '')).toContain('an alternative second question');
  });
});

test.each(['codex', 'gemini'])(
  'an agent that a session of %s has started becomes a sub-session of its call',
  async (name) => {
    await withCli(async (cli) => {
      installSamples(cli, name);
      expect(await cli.print('import', '--from', name)).toContain('and in 1 sub-session');
      const [tree, ...others] = Trees.parse(await cli.json('list'));
      expect(others).toEqual([]);
      const lines = (await cli.print('export', tree?.id ?? '', '--format', 'jsonl')).trimEnd().split('\n');
      const records = lines.map((line): unknown => JSON.parse(line));
      const owned = z.object({ tree: z.object({ owner: z.object({ node: z.string() }) }) });
      const [owner] = records.flatMap((record) => owned.safeParse(record).data?.tree.owner.node ?? []);
      const call = records.find((record) => JSON.stringify(record).includes(`"id":"${owner}"`));
      expect(JSON.stringify(call)).toMatch(/"tool":"(spawn_agent|invoke_agent)"/);
    });
  },
);

test('sessions of other projects are imported when the person says so, and keep no folder unless that is said', async () => {
  await withCli(async (cli) => {
    const target = join(userHomeBeside(cli.folder), '.pi', 'agent');
    cpSync(join(SAMPLES, 'pi'), target, { recursive: true });
    expect(await cli.print('import', '--from', 'pi')).toBe(
      'Nothing new in 2 sessions of pi; 2 sessions of other projects: --every-project\n',
    );
    await cli.print('import', '--from', 'pi', '--every-project');
    expect(Trees.parse(await cli.json('list')).map(({ project }) => project)).toEqual([null]);
    const env = { COGNITION_HOME: join(cli.folder, 'other') };
    await cli.run(['import', '--from', 'pi', '--every-project', '--keep-projects'], { env });
    const { stdout } = await cli.run(['list', '--json'], { env });
    expect(Trees.parse(JSON.parse(stdout)).map(({ project }) => project)).toEqual(['/srv/project']);
    await cli.run(['hub', 'stop'], { env });
  });
});

test('a session that has gone on brings what is new, and half a line is told of', async () => {
  await withCli(async (cli) => {
    const target = installSamples(cli, 'claude');
    await cli.print('import', '--from', 'claude');
    const [project = ''] = readdirSync(join(target, 'projects'));
    const path = join(target, 'projects', project, SESSION);
    const more = {
      type: 'user',
      uuid: '1',
      parentUuid: '9835ed4a-bf9f-46f4-b802-d076434573ca',
      message: { content: 'later' },
    };
    appendFileSync(path, `${JSON.stringify({ ...more, isSidechain: false })}\n{"type":"assist`);
    const { stdout, stderr } = await cli.run(['import', '--from', 'claude']);
    expect(stdout).toContain('1 new node in 1 conversation; 1 session not changed since; 1 problem\n');
    expect(stderr).toBe(`${path}: its end is missing; what was whole is imported\n`);
    expect(await cli.print('search', 'later')).toContain('later');
  });
});

test('no link below the folder is followed', async () => {
  await withCli(async (cli) => {
    const target = installSamples(cli, 'claude');
    const [project = ''] = readdirSync(join(target, 'projects'));
    const outside = join(cli.folder, 'outside');
    cpSync(join(target, 'projects', project), outside, { recursive: true });
    const linked = join(cli.folder, 'linked');
    mkdirSync(linked);
    symlinkSync(outside, join(linked, project));
    mkdirSync(join(linked, 'own'));
    symlinkSync(join(outside, SESSION), join(linked, 'own', SESSION));
    const { code, stderr } = await cli.run(['import', '--from', 'claude', linked]);
    expect([code, stderr.split('\n')[0]]).toEqual([3, 'cognition: there are no sessions of claude']);
    expect(await cli.print('import', '--from', 'claude', outside)).toContain('1 conversation');
  });
});

test('an edited question of ChatGPT is a branch', async () => {
  await withCli(async (cli) => {
    const message = (role: string, text: string) => ({
      ...{ author: { role }, create_time: 1_790_000_000.5, content: { content_type: 'text', parts: [text] } },
    });
    const mapping = {
      root: { parent: null, children: ['a', 'b'], message: null },
      a: { parent: 'root', children: ['a2'], message: message('user', 'how tall is it?') },
      a2: { parent: 'a', children: [], message: message('assistant', 'Very.') },
      b: { parent: 'root', children: ['b2'], message: message('user', 'how old is it?') },
      b2: { parent: 'b', children: [], message: message('assistant', 'Not at all.') },
    };
    const file = join(cli.folder, 'export.json');
    writeFileSync(file, JSON.stringify([{ title: 'It', conversation_id: 'x', mapping }]));
    expect(await cli.print('import', '--from', 'chatgpt', file)).toContain('5 new nodes in 1 conversation\n');
    const [tree] = Trees.parse(await cli.json('list'));
    const shown = await cli.print('show', tree?.id ?? '', '--nested');
    expect(shown).toContain('Very.');
    expect(shown).toContain('Not at all.');
  });
});

test('what is too large, too deep or too much for a node is cut, not refused', async () => {
  await withCli(async (cli) => {
    const deep = JSON.parse(`${'['.repeat(500)}7${']'.repeat(500)}`);
    const calls = Array.from({ length: 300 }, (_, index) => ({
      ...{
        type: 'toolCall',
        id: `call ${index}`,
        name: '',
        arguments: index % 2 === 0 ? deep : new Array(40_000).fill({}),
      },
    }));
    const results = calls.map(({ id }) => ({
      ...{ role: 'toolResult', toolCallId: id, content: [{ type: 'text', text: '\u0001'.repeat(40_000) }] },
    }));
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'é'.repeat(3_000_000) }] },
      { role: 'assistant', content: calls },
      ...results,
      { role: 'assistant', content: [{ type: 'text', text: '\ud800 lone' }] },
    ];
    const entries = messages.map((message, index) => ({
      ...{ type: 'message', id: String(index), parentId: index === 0 ? null : String(index - 1), message },
    }));
    const name = { type: 'session_info', id: 'n', parentId: null, name: '@- two\u0000 lines\nand\u202e more' };
    const file = join(cli.folder, 'hostile.jsonl');
    writeFileSync(file, [...entries, name].map((one) => `${JSON.stringify(one)}\n`).join(''));
    const { code, stdout, stderr } = await cli.run(['import', '--from', 'pi', file]);
    expect([code, stdout.split('\n').at(-2), stderr]).toEqual([0, '204 new nodes in 1 conversation', '']);
    const listed = z.array(z.object({ name: z.string() })).parse(await cli.json('list'));
    expect(listed).toEqual([expect.objectContaining({ name: 'two lines and more' })]);
    expect((await cli.run(['fsck'])).code).toBe(0);
  });
});

test('what cannot be imported is said in one line with what to do', async () => {
  await withCli(async ({ run }) => {
    const told = async (...words: string[]) => {
      const { code, stdout, stderr } = await run(['import', ...words]);
      return [code, stdout, stderr];
    };
    expect(await told()).toEqual([
      2,
      '',
      expect.stringMatching(/^cognition: there is nothing to import\nhint: name a file/),
    ]);
    expect(await told('--from', 'chatgpt')).toEqual([2, '', expect.stringContaining('unpack it')]);
    expect(await told('--from', 'codex')).toEqual([
      3,
      '',
      expect.stringMatching(/^cognition: there are no sessions of codex\nhint: /),
    ]);
    expect((await told('--from', 'copilot'))[0]).toBe(2);
  });
});
