import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { privateGitId } from '../../../tools/private_git/git_layout.js';
import { connectTo, withHome } from '../../support/hub.js';
import { until } from '../../tools/bash/processes.js';

test('the index of a repository that a killed take over holds is free once a hub runs, whatever it is started for', () =>
  withHome(async (home) => {
    const given = join(dirname(home), 'project');
    mkdirSync(given);
    const project = realpathSync(given);
    const git = (...words: string[]): string =>
      execFileSync('git', ['-c', 'user.name=p', '-c', 'user.email=p@p', ...words], { cwd: project, encoding: 'utf8' });
    git('init', '-q');
    writeFileSync(join(project, 'file'), 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    const lock = join(project, '.git/index.lock');
    copyFileSync(join(project, '.git/index'), lock);
    expect(() => git('add', '.')).toThrow('index.lock');
    const taken = {
      id: 'taken',
      at_ms: 1,
      text: '1 commit from the model on main',
      refs: [],
      head: null,
      undone: false,
    };
    const pending = { taken: { ...taken, index: { from: '', to: '' } }, lock: String(statSync(lock).ino) };
    const folder = join(home, 'git', privateGitId(project));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'journal.json'), JSON.stringify({ pending, taken: [] }));
    writeFileSync(
      join(folder, 'state.json'),
      JSON.stringify({ project, person: null, model: null, refs: {}, head: null, index: null, told: {} }),
    );
    const client = await connectTo(home);
    await until(() => !existsSync(lock));
    git('add', '.');
    expect(git('status', '--porcelain')).toBe('');
    await client.close();
  }));
