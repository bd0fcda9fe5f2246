import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../cli/command_table.js';
import { candidatesFor } from '../../../cli/help/completion_candidates.js';
import { completionScript, SHELLS } from '../../../cli/help/completion_scripts.js';
import { manualPage } from '../../../cli/help/manual_page.js';
import { withCli } from '../../support/cli.js';
import { KEYS, withTerminal } from '../../support/terminal.js';

test.each([
  [['sh'], { words: expect.arrayContaining(['show', 'search']), more: null }],
  [['show', ''], { words: ['@'], more: 'trees' }],
  [['show', '--at', 'root', ''], { words: ['@'], more: 'trees' }],
  [['show', '--ne'], { words: expect.arrayContaining(['--nested', '--json', '--help']), more: null }],
  [['export', '@', '--format', ''], { words: ['text', 'markdown', 'html', 'json', 'jsonl'], more: null }],
  [['search', 'x', '--tree', ''], { words: ['@'], more: 'trees' }],
  [['attach', '@', ''], { words: ['file:', 'http://', 'https://', 'postgres:'], more: null }],
  [['import', ''], { words: [], more: 'files' }],
  [['hub', ''], { words: ['start', 'status', 'stop', 'logs', 'discover'], more: null }],
  [['config', 'get', ''], { words: expect.arrayContaining(['pager']), more: null }],
  [['completion', ''], { words: ['bash', 'zsh', 'fish'], more: null }],
  [['list', '--color', ''], { words: ['auto', 'always', 'never'], more: null }],
  [['show', '--color', 'always', ''], { words: ['@'], more: 'trees' }],
  [['export', '@', '--format=m'], { words: expect.arrayContaining(['--format=markdown']), more: null }],
  [['export', '--output=a'], { words: [], more: 'files' }],
  [['nonsense', ''], { words: [], more: null }],
  [['context', 'trip', ''], { words: ['@', 'root'], more: 'nodes', tree: 'trip' }],
  [['compare', 'trip', 'a', ''], { words: ['@', 'root'], more: 'nodes', tree: 'trip' }],
  [['add', 'trip', '--at', ''], { words: ['@', 'root'], more: 'nodes', tree: 'trip' }],
  [['ask', 'trip', 'hm', '--at=r'], { words: ['--at=@', '--at=root'], more: 'nodes', tree: 'trip' }],
  [['output', ''], { words: ['@', 'root'], more: 'nodes', tree: '@' }],
  [['mark', 'trip', ''], { words: [], more: 'marks', tree: 'trip' }],
  [['mark', 'trip', 'here', ''], { words: ['@', 'root'], more: 'nodes', tree: 'trip' }],
  [['ask', '--model', ''], { words: [], more: 'models' }],
])('after %j', (words, candidates) => {
  expect(candidatesFor(words, COMMANDS)).toEqual(candidates);
});

test('nodes, marks and models are completed while a hub runs, and no failure is printed when none does', async () => {
  await withCli(async ({ run, print }) => {
    await print('new', 'trip');
    const added = /Added ([0-9a-f]{8})/.exec(await print('add', 'trip', 'To the sea.'))?.[1] ?? '';
    await print('mark', 'trip', "it's; $(touch gone)");
    const complete = (...words: string[]): Promise<string> => print('completion', '--complete', '--', ...words);
    expect(await complete('add', 'trip', '--at', '')).toBe(`@\nroot\nit's; $(touch gone)\n${added}\n`);
    expect(await complete('add', 'trip', `--at=${added.slice(0, 2)}`)).toBe(`--at=${added}\n`);
    expect(await complete('mark', 'trip', 'it')).toBe("it's; $(touch gone)\n");
    expect((await complete('ask', '--model', '')).split('\n')).toEqual(expect.arrayContaining(['demo', 'sonnet']));
    expect((await run(['completion', '--complete', '--', 'add', 'nowhere', '--at', ''])).stdout).toBe('');
    await print('hub', 'stop');
    expect(await complete('add', 'trip', '--at', '')).toBe('@\nroot\n');
  });
});

test('the bash script is valid bash', () => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: completionScript('bash'), encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.each([
  ['a\\ na', 'a\\ name'],
  ['"a na', '"a name"'],
  ["'a na", "'a name'"],
  ['http:/', 'http://x/y'],
  ['--format=t', '--format=text'],
  ["it\\'", "it\\'s"],
  ['run', 'run\\$\\(touch\\ a\\)\\`b\\`\\"\\!c'],
  // Within quotes it is not offered: what is typed next follows at once.
  ['"run', '"runZ'],
  ["'run", "'runZ"],
])('in bash %s is completed to %s', async (typed, completed) => {
  const stub = `cognition() { for w in 'a name' "it's" 'run$(touch a)\`b\`"!c' http://x/y --format=text; do [[ $w != "\${@: -1}"* ]] || echo "$w"; done; }`;
  await withCli(async ({ folder }) => {
    writeFileSync(join(folder, 'rc'), `${completionScript('bash')}\n${stub}\nPS1='$ '\n`);
    const start = {
      command: 'bash',
      args: ['--noprofile', '--rcfile', 'rc', '-i'],
      cwd: folder,
      env: { HOME: folder },
    };
    await withTerminal(start, async (terminal) => {
      await terminal.waitFor(/^\$$/m);
      terminal.type(`cognition show ${typed}`, KEYS.tab, ...(completed.endsWith('Z') ? ['Z'] : []));
      await terminal.waitFor((screen) => screen.at(-1) === `$ cognition show ${completed}`);
    });
  });
});

test.each(SHELLS)('the script for %s asks the program itself', (shell) => {
  expect(completionScript(shell)).toContain('cognition completion --complete -- ');
});

test('the manual describes every command, and no line of it is taken for an instruction', () => {
  const page = manualPage(COMMANDS, '1.2.3');
  for (const entry of COMMANDS) {
    const names = entry.kind === 'command' ? [entry.name] : entry.commands.map((one) => `${entry.name} ${one.name}`);
    for (const name of names) expect(page).toMatch(new RegExp(`^\\.SS ${name}\\b`, 'm'));
  }
  const instructions = new Set(
    page.split('\n').flatMap((line) => (/^[.'](\w*)/.test(line) ? [line.split(' ')[0]] : [])),
  );
  expect([...instructions].sort()).toEqual(['.B', '.I', '.PP', '.SH', '.SS', '.TH', '.TP', '.fi', '.nf']);
});
