import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayRead, mayWrite } from '../../../tools/policy/path_rules.js';
import { KINDS, withSandbox } from './contained.js';

describe.each(KINDS)('%s', (kind) => {
  test('skills of the person can be read and run, not written, and nothing beside them or behind a link is shown', () =>
    withSandbox(kind, async ({ run, home, kept, project }) => {
      const folders = [join(kept, 'skills'), join(home, '.agents', 'skills'), join(home, '.claude', 'skills')];
      for (const folder of folders) {
        mkdirSync(join(folder, 'sing'), { recursive: true });
        writeFileSync(join(folder, 'sing', 'sing.sh'), 'echo sung\n');
        writeFileSync(join(folder, '..', 'secret'), 'hidden words\n');
        symlinkSync(join(folder, '..'), join(folder, 'up'));
      }
      for (const policy of [{}, { writable: [], readable: [project] }]) {
        for (const folder of folders) {
          expect(await run(`bash ${folder}/sing/sing.sh`, { policy })).toMatchObject({ code: 0, out: 'sung\n' });
          const { out, code } = await run(
            `cat ${folder}/../secret ${folder}/up/secret; cat $(find -L ${folder} -name secret); touch ${folder}/new`,
            { policy },
          );
          expect([out, code]).toEqual(['', 1]);
        }
      }
    }));

  test('a skill folder that is a link shows nothing of where it leads', () =>
    withSandbox(kind, async ({ run, home }) => {
      mkdirSync(join(home, '.ssh'), { recursive: true });
      mkdirSync(join(home, '.claude'), { recursive: true });
      writeFileSync(join(home, '.ssh', 'key'), 'hidden words\n');
      symlinkSync(join(home, '.ssh'), join(home, '.claude', 'skills'));
      const { out } = await run(`cat ${home}/.claude/skills/key ${home}/.ssh/key; ls -A ${home}/.claude`);
      expect(out).not.toContain('hidden');
    }));
});

test('files are read by the same rule, by their real paths', () => {
  const place = { userHome: '/people/me', cognitionHome: '/people/me/.cognition', commands: '/c', path: '' };
  const policy = { kind: 'contained' as const, network: false, writable: ['/people/me'], readable: null };
  const may = (path: string) => [mayRead(path, policy, place), mayWrite(path, policy, place)];
  expect(may('/people/me/.claude/skills/sing/SKILL.md')).toEqual([true, false]);
  expect(may('/people/me/.cognition/skills/sing/SKILL.md')).toEqual([true, false]);
  expect(may('/people/me/.claude/settings.json')).toEqual([false, false]);
  expect(may('/people/me/.claude/skills-of-others/x')).toEqual([false, false]);
  expect(may('/people/me/.cognition/trees.db')).toEqual([false, false]);
});
