import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ended, KINDS, type Setting, withSandbox } from './contained.js';

const wrapIn = ({ sandbox, policy, tmp }: Setting, folder: string, command: string) =>
  sandbox.wrap({
    ...{ program: 'bash', arguments: ['-c', command], cwd: folder, tmp },
    policy: { ...policy, writable: [folder] },
  });

describe.each(KINDS)('%s', (kind) => {
  test('a mount point that two commands stand on stays until both have ended', () =>
    withSandbox(kind, async (setting) => {
      const { project, home } = setting;
      const git = join(project, 'sub', '.git');
      mkdirSync(dirname(git));
      const first = await wrapIn(setting, dirname(git), 'true');
      // The project shows the other's mount point as a repository below it.
      const second = await wrapIn(setting, project, `echo evil >${git}/config; echo made >file`);
      first.release();
      const { code, err } = await ended(second.program, second.arguments, home);
      second.release();
      expect({ code, err }).toMatchObject({ code: 0, err: expect.stringMatching(/Read-only|Permission denied/) });
      expect(existsSync(join(project, 'file'))).toBe(true);
      expect(existsSync(git)).toBe(false);
    }));

  test('a writable folder within another one keeps its own .git and .cognition from being made', () =>
    withSandbox(kind, async (setting) => {
      const { project, run } = setting;
      const policy = { writable: [dirname(project), project] };
      const { out } = await run('mkdir .git/hooks; mkdir -p .cognition/x; touch kept; ls -A', { policy });
      expect(out.split('\n').filter((name) => name !== '')).toEqual(['.cognition', '.git', 'kept']);
      expect(['.git', '.cognition'].filter((name) => existsSync(join(project, name)))).toEqual([]);
    }));
});
