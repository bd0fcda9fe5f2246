import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { lanesIn } from '../../../cli/race/lanes.js';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { agentBin, pathWith } from '../../support/agents/agent_bin.js';
import { withCli } from '../../support/cli.js';
import { breaking, say } from '../../support/model/script.js';
import { bash, withTalk } from '../repl/conversation/talk.js';

test('a lane is named by its model, and several by a number after it', () => {
  expect(lanesIn('sonnet×2, gpt,mixtral-8x7b*2')).toEqual(['sonnet', 'sonnet', 'gpt', 'mixtral-8x7b', 'mixtral-8x7b']);
  for (const text of ['', ',', 'demo×99', 'a,'.repeat(20)]) expect(() => lanesIn(text)).toThrow('--with takes');
});

test('lanes work in copies at the project’s own path, a check tells how they are, and what is picked comes, and goes again', () =>
  withCli(async ({ folder, home, run, print }) => {
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'node_modules/dep.js'), 'dep');
    writeFileSync(join(folder, 'a.txt'), 'mine\n');
    const check = `cd ${folder} && sh hello-demo.sh && cat node_modules/dep.js`;
    const race = await run(['race', 'write a program', '--with', 'demo×2,demo', '--check', check]);
    expect(race).toMatchObject({ code: 0, stderr: expect.stringContaining('3 lanes, no limit: --max-cost sets one') });
    const board = /^1\. demo {2}done {2}check ok {2}1 file {2}\+3 -0 .*\n2\. demo {2}done .*\n3\. demo {2}done .*\n$/;
    expect(race.stdout).toMatch(board);
    expect(readdirSync(folder).sort()).toEqual(['a.txt', 'node_modules']);
    expect(await print('race')).toMatch(board);

    appendFileSync(join(folder, 'a.txt'), 'more\n');
    expect(await print('pick', '2')).toBe('A  hello-demo.sh\n');
    expect(readFileSync(join(folder, 'hello-demo.sh'), 'utf8')).toContain('Hello, tree!');
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('mine\nmore\n');
    expect(await print('show')).toMatch(/hello-demo\.sh && cat.*● you are here/);
    expect(await print('files', 'diff', 'root', '@')).toBe('A  hello-demo.sh  +3 -0\n');
    await print('files', 'undo');
    expect(existsSync(join(folder, 'hello-demo.sh'))).toBe(false);
    expect((await run(['pick', '9'])).stderr).toContain('the race has no lane');

    expect((await print('files', 'copies')).split('\n')).toHaveLength(4);
    expect(await print('files', 'copies', '--remove', 'all')).toBe('Removed 3 copies.\n');
    const [store = ''] = readdirSync(join(home, 'files'));
    expect(readdirSync(join(home, 'files', store, 'copies'))).toEqual([]);
    expect(JSON.parse(await print('fsck', '--json'))).toMatchObject({ problems: [] });
  }));

test('a check is a command, and whatever one has done to its copy that goes, but for a copy in which somebody works', () =>
  withTalk(async ({ cli: { run, print }, server, env }) => {
    const empty = await run(['race', 'hello', '--with', 'demo', '--check', ' ']);
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('--check takes a command') });
    await run(['race', 'hello', '--with', 'demo×2', '--check', 'mkdir -p a/b; touch a/b/c; chmod 000 a/b a .']);
    server.script(breaking('hang', words('Let me see')));
    const asking = run(['ask', 'go', '--own'], { env });
    await server.hanging();
    expect(await print('files', 'copies', '--remove', 'all')).toBe('Removed 2 copies.\n');
    expect((await print('files', 'copies')).trimEnd().split('\n')).toHaveLength(1);
    await print('hub', 'stop');
    await asking;
  }));

test('in a copy the path of the project is the copy, a link cannot lead back, and texts of both sides are merged', () =>
  withTalk(async ({ cli, server, env }) => {
    const { folder, run } = cli;
    const lines = (first: string, last: string) => `${first}\n2\n3\n4\n5\n6\n7\n8\n${last}\n`;
    writeFileSync(join(folder, 'a.txt'), lines('1', '9'));
    writeFileSync(join(folder, 'own.txt'), 'own\n');
    symlinkSync(join(folder, 'own.txt'), join(folder, 'link'));
    const write = (id: string, path: string, content: string) => say(call(id, 'write', { path, content }));
    server.script(
      write('c1', join(folder, 'a.txt'), lines('one', '9')),
      bash('c2', `cat ${folder}/a.txt; echo changed > ${folder}/own.txt; git init -q . 2>&1; ls`),
      say(call('c3', 'read', { path: 'a.txt' })),
      write('c4', 'link', 'through the link\n'),
      write('c5', join(dirname(folder), 'beside.txt'), 'outside\n'),
      say(words('Done.')),
    );
    const answer = await run(['ask', 'go', '--own'], { env });
    expect(answer).toMatchObject({ code: 0, stderr: expect.stringContaining('cognition pick 1') });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(lines('1', '9'));
    expect(readFileSync(join(folder, 'own.txt'), 'utf8')).toBe('own\n');
    expect(existsSync(join(dirname(folder), 'beside.txt'))).toBe(false);

    writeFileSync(join(folder, 'a.txt'), lines('1', 'nine'));
    const picked = await run(['pick', '1']);
    expect(picked).toMatchObject({ code: 0, stdout: expect.stringContaining('merged  a.txt\n') });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(lines('one', 'nine'));
  }));

test('what a lane has alone is taken by path, what both changed is named, or taken as the lane has it; and merged back as a message', () =>
  withCli(async ({ folder, run, print }) => {
    const file = (name: string) => readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, 'a.txt'), 'base\n');
    await run(['ask', 'demo: say Here.', '--model', 'demo']);
    await print('mark', '@', 'start');
    await run([
      'ask',
      '@',
      'demo: run echo theirs > a.txt; mkdir sub; echo b > sub/b.txt; echo c > c.txt\ndemo: then\ndemo: say Found it.',
      '--own',
    ]);
    expect([file('a.txt'), existsSync(join(folder, 'c.txt'))]).toEqual(['base\n', false]);
    await print('mark', '@', 'found');
    await print('add', '@', '--at', 'start', 'Go on.');
    writeFileSync(join(folder, 'a.txt'), 'mine\n');
    expect(await print('take', 'found', 'sub,c.txt')).toBe('A  c.txt\nA  sub/\nA  sub/b.txt\n');
    expect(await run(['take', 'found'])).toMatchObject({
      code: 1,
      stdout: 'left  a.txt: changed here and there: nothing of it was taken\n',
      // /files undo would take back what was taken before.
      stderr: expect.stringMatching(/^Took 0 paths of the branch of [0-9a-f]{8}\.\n/),
    });
    expect(await print('take', 'found', '--theirs', '.')).toBe('M  a.txt\n');
    expect(file('a.txt')).toBe('theirs\n');
    await print('files', 'undo');
    expect(file('a.txt')).toBe('mine\n');

    expect(await print('show', '--files')).toMatch(/\[bash:echo theirs.*\] \(\d paths differ\)\n/);
    expect(await print('merge', 'found', '--preview')).toBe('Found it.\n');
    expect((await run(['merge', 'found', 'It was a typo.', '--no-files'])).stderr).toMatch(
      /Brought 3 nodes of [0-9a-f]{8} here/,
    );
    expect(await print('show')).toMatch(
      /User: Merged from [0-9a-f]{8} \(3 nodes since [0-9a-f]{8}\): It was a typo\..*● you are here/,
    );
    expect(await print('context', '@', '--full')).toMatch(
      /Provenance: the branch that ends at [0-9a-f-]{36} \(sha256 [0-9a-f]{64}\)/,
    );
    expect((await run(['merge', 'found', 'Mine.', '--summary'])).stderr).toContain('--summary has the model say it');
    expect((await run(['merge', '@'])).stderr).toContain('is on the path to where you stand already');
    expect(JSON.parse(await print('fsck', '--json'))).toMatchObject({ problems: [] });
  }));

test('agents are lanes as models are, and work in their copies', () =>
  withCli(async ({ folder, run }) => {
    const env = { PATH: pathWith(agentBin('claude', 'codex')), ANTHROPIC_API_KEY: 'sk-test' };
    const race = await run(
      [
        'race',
        '[[tool:echo made > made.txt; pwd]]',
        '--with',
        'claude,demo',
        '--check',
        'test -e made.txt || { echo made.txt is missing; exit 1; }',
      ],
      { env },
    );
    expect(race.stdout).toMatch(/^1\. claude {2}done {2}check ok {2}1 file {2}\+1 -0 .*\n2\. demo {4}done {2}check 1/);
    expect(race.stderr).toContain('claude: an agent of others');
    expect(race.stderr).not.toContain('the check of lane 1');
    const [, node = ''] = /What the check of lane 2 printed: cognition output (\w{8})\n/.exec(race.stderr) ?? [];
    expect(await run(['output', node])).toMatchObject({ code: 0, stdout: 'made.txt is missing\n' });
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
    await run(['pick', '1'], { env });
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made\n');
  }));

test('a race that is refused for its folder has made no conversation, on the command line and in a chat', () =>
  withCli(async ({ run, print }) => {
    const refused = await run(['race', 'hello', '--with', 'demo×2', '--here'], { folder: '/usr' });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('the files of /usr are not recorded');
    expect(await print('list')).toBe('');
    const chat = await run(['chat', '--model', 'demo'], {
      folder: '/usr',
      input: '/race hello --with demo×2\n/quit\n',
    });
    expect(chat.stderr).toContain('the files of /usr are not recorded');
    expect(chat.stdout).toContain('Nothing was said, so nothing is kept.');
    expect(await print('list')).toBe('');
  }));

test(
  'lanes are compared by their numbers, and in a chat gone to as well; a mark of that name goes before',
  () =>
    withCli(async ({ run, print }) => {
      await run(['race', 'hello', '--with', 'demo×2']);
      const tips = JSON.parse(await print('race', '--json')).lanes.map(({ tip }: { tip: string }) => tip.slice(0, 8));
      const input = '/race\n/compare 1 2\n/switch 2\n/mark 1\n/quit\n';
      const { stdout } = await run(['chat', '@', '--model', 'demo'], { input });
      for (const tip of tips) expect(stdout).toContain(`Only in ${tip}`);
      expect(await print('compare', '@', '2', tips[0])).toContain(`Only in ${tips[1]}`);
      expect(await print('compare', '@', '1', '2')).not.toContain(`Only in ${tips[0]}`);
      const none = await run(['compare', '@', '1', '3']);
      expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('no node "3"') });
    }),
  180_000,
);
