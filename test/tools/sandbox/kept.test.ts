import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayWrite } from '../../../tools/policy/path_rules.js';
import { KINDS, type Setting, withSandbox } from './contained.js';

/** Tries to write each path, and returns those that were. */
async function writtenBy({ run }: Setting, paths: readonly string[], how: Parameters<Setting['run']>[1]) {
  const words = paths.map((path) => `"${path}"`).join(' ');
  const script = `for p in ${words}; do mkdir -p "$(dirname "$p")" 2>/dev/null; (echo evil >>"$p") 2>/dev/null && echo "$p"; done`;
  const { out } = await run(script, how);
  return out.split('\n').filter((line) => line !== '');
}

describe.each(KINDS)('%s', (kind) => {
  test('where the home folder is the project, nothing hidden in it is written and nothing new appears beside', () =>
    withSandbox(kind, async (setting) => {
      const { home, policy, kept } = setting;
      const at = (name: string): string => join(home, name);
      for (const path of ['work', '.config/autostart', '.local/bin', 'bin', '.ssh'])
        mkdirSync(at(path), { recursive: true });
      for (const path of ['.bashrc', '.gitconfig', 'notes']) writeFileSync(at(path), 'mine\n');
      const hidden = [
        '.bashrc',
        '.bash_profile',
        '.gitconfig',
        '.config/git/config',
        '.config/autostart/x.desktop',
        '.local/bin/ls',
      ];
      const paths = [
        ...hidden,
        '.ssh/authorized_keys',
        '.vscode/tasks.json',
        '.claude/settings.json',
        'bin/ls',
        'go/bin/ls',
      ];
      const how = { cwd: home, policy: { writable: [home] } };
      const written = await writtenBy(setting, [...paths, 'new', 'notes', 'work/new'].map(at), how);
      expect(written).toEqual([at('notes'), at('work/new')]);
      expect(readdirSync(home).sort()).toEqual([
        '.bashrc',
        '.config',
        '.gitconfig',
        '.local',
        '.ssh',
        'bin',
        'kept',
        'notes',
        'work',
      ]);
      const machine = { userHome: home, cognitionHome: kept, commands: '', path: '' };
      const widened = { ...policy, writable: [home] };
      expect(paths.filter((path) => mayWrite(at(path), widened, machine))).toEqual([]);
      expect(['notes', 'new', 'work/new'].filter((path) => mayWrite(at(path), widened, machine))).toHaveLength(3);
    }));

  test('a folder above the home folder keeps what is hidden in it, too', () =>
    withSandbox(kind, async (setting) => {
      const { home } = setting;
      mkdirSync(join(home, 'work'));
      const above = dirname(home);
      const how = { cwd: above, policy: { writable: [above] } };
      const paths = [join(home, '.bashrc'), join(home, 'work/new'), join(above, 'new')];
      expect(await writtenBy(setting, paths, how)).toEqual(paths.slice(1));
    }));

  test('a project inside the home folder keeps what runs as the person below it, unless that is the project', () =>
    withSandbox(kind, async (setting) => {
      const { home } = setting;
      const config = join(home, '.config');
      mkdirSync(join(config, 'nvim'), { recursive: true });
      const how = { cwd: config, policy: { writable: [config] } };
      const inside = ['git/config', 'systemd/user/x.service', 'autostart/x.desktop', 'nvim/init.lua', 'app/settings'];
      const paths = inside.map((name) => join(config, name));
      expect(await writtenBy(setting, paths, how)).toEqual([join(config, 'app/settings')]);
      expect(readdirSync(config).sort()).toEqual(['app', 'nvim']);
      const named = { cwd: join(config, 'nvim'), policy: { writable: [join(config, 'nvim')] } };
      expect(await writtenBy(setting, [join(config, 'nvim/init.lua')], named)).toHaveLength(1);
    }));

  test('repositories in the project keep their settings and hooks; what else lies beside them is written', () =>
    withSandbox(kind, async (setting) => {
      const { project } = setting;
      for (const name of ['sub', 'deep/er/sub']) execFileSync('git', ['init', '-q', join(project, name)]);
      execFileSync('git', ['init', '-q', '--bare', join(project, 'bare')]);
      mkdirSync(join(project, 'linked'));
      writeFileSync(join(project, 'linked/.git'), 'gitdir: ../sub/.git\n');
      const evil = [
        'sub/.git/hooks/post-commit',
        'sub/.git/config',
        'deep/er/sub/.git/config',
        'bare/hooks/update',
        'linked/.git',
      ];
      const paths = [...evil, 'sub/file', 'linked/file'].map((name) => join(project, name));
      expect(await writtenBy(setting, paths, {})).toEqual(paths.slice(evil.length));
      const { out } = await setting.run('mv sub/.git sub/x || rm -rf sub/.git || mv linked/.git x || echo held');
      expect(out).toBe('held\n');
      // Renamed with all that it holds, it is held where it is.
      await setting.run('mv deep moved; echo evil >>moved/er/sub/.git/config');
      expect(readFileSync(join(project, 'moved/er/sub/.git/config'), 'utf8')).not.toContain('evil');
    }));

  test('a link in the place of a repository further down is no reason to refuse', () =>
    withSandbox(kind, async ({ run, project, home }) => {
      mkdirSync(join(project, 'sub'));
      symlinkSync(home, join(project, 'sub/.git'));
      expect(await run('echo on')).toMatchObject({ code: 0, out: 'on\n' });
      expect(existsSync(join(project, 'sub/.git'))).toBe(true);
    }));
});
