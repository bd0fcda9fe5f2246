import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayRead } from '../../../tools/policy/path_rules.js';
import { findSandbox } from '../../../tools/sandbox/forms/sandbox.js';
import { KINDS, withSandbox } from './contained.js';

describe.each(KINDS)('%s', (kind) => {
  test('the report lists the attempts that failed inside', () =>
    withSandbox(kind, async ({ sandbox, home, kept }) => {
      const report = await sandbox.report();
      expect(report.kind).toBe(kind);
      expect(report.holds).toContain('no server on this machine can be reached');
      expect(report.holds).toContain('dangerous system calls are refused');
      expect(report.holds).toContain('what a command uses is counted from outside, and limited');
      expect(report.holds.length).toBeGreaterThanOrEqual(13);
      expect([
        readdirSync(home),
        readdirSync(kept).filter((name) => !['mount-points', 'call-filter'].includes(name)),
      ]).toEqual([['kept'], []]);
    }));

  test('output, exit code and descriptor 3 are passed on', () =>
    withSandbox(kind, async ({ run }) => {
      expect(await run('echo out; echo err >&2; echo three >&3; exit 7')).toEqual({
        ...{ code: 7, out: expect.stringContaining('out\n'), err: 'err\n' },
      });
      expect((await run('echo three >&3')).out).toBe('3:three\n');
      expect((await run('kill -9 $$')).code).toBe(137);
      expect((await run('kill -9 $$')).err).toBe('');
      expect((await run('exec missing-program 2>/dev/null')).code).toBe(127);
    }));

  test('the environment inside is that of the call', () =>
    withSandbox(kind, async ({ run, home }) => {
      const { out } = await run('env | grep -v -e ^PWD= -e ^OLDPWD= -e ^SHLVL= -e ^_= | sort');
      expect(out).toBe(`HOME=${home}\nPATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin\n`);
    }));

  test('paths with spaces, line ends, dashes, quotes and other letters work', () =>
    withSandbox(kind, async ({ run, project }) => {
      for (const name of ['a b', 'a\nb', '-rf', 'it\'s "x"', 'naïve 数据 🌳', 'back\\slash', '#sharp,comma', '$(id)']) {
        const folder = join(project, name, 'deep');
        mkdirSync(folder, { recursive: true });
        const how = { cwd: folder, policy: { writable: [folder] } };
        expect(await run('echo text >file && cat file', how), name).toMatchObject({ code: 0, out: 'text\n', err: '' });
        expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('text\n');
        expect(readdirSync(folder)).toEqual(['file']);
      }
    }));

  test('mount points are removed afterwards, also with concurrent commands', () =>
    withSandbox(kind, async ({ run, project }) => {
      const commands = Array.from({ length: 6 }, (_, index) => run(`ls -A; mkdir .git/x; echo ${index} >file${index}`));
      for (const { out, err } of await Promise.all(commands)) {
        expect(out).toContain('.cognition\n.git\n');
        expect(err).toMatch(/Read-only file system|Permission denied/);
      }
      expect(readdirSync(project)).toEqual([0, 1, 2, 3, 4, 5].map((index) => `file${index}`));
    }));

  test('mount points left by a killed process are removed at the next start', () =>
    withSandbox(kind, async ({ home, project, kept }) => {
      const [git, notes] = [join(project, '.git'), join(kept, 'mount-points')];
      mkdirSync(git);
      // No process has this number: the kernel gives out smaller ones.
      writeFileSync(join(git, 'held-by-99999999'), '');
      mkdirSync(notes);
      writeFileSync(join(notes, 'note'), JSON.stringify({ path: git }));
      // What was noted once may be somebody's own by now.
      mkdirSync(join(project, '.cognition'));
      writeFileSync(join(notes, 'other note'), JSON.stringify({ path: join(project, '.cognition') }));
      writeFileSync(join(notes, 'torn'), '{"path": ');
      const place = { userHome: home, cognitionHome: kept, commands: join(kept, 'commands'), path: '' };
      findSandbox({ machine: place, log: (_level, message) => console.error(message) });
      expect([readdirSync(project), readdirSync(notes)]).toEqual([['.cognition'], []]);
    }));

  test('git is readable inside and, without a private folder, read-only', () =>
    withSandbox(kind, async ({ run, project }) => {
      execFileSync('git', ['init', '-q', '-b', 'main', project]);
      const before = readFileSync(join(project, '.git/config'), 'utf8');
      expect((await run('git status --porcelain --branch')).out).toBe('## No commits yet on main\n');
      expect((await run('echo x >f; git add f')).code).not.toBe(0);
      expect((await run('git config user.name evil')).code).not.toBe(0);
      expect(readFileSync(join(project, '.git/config'), 'utf8')).toBe(before);
      expect(readdirSync(join(project, '.git'))).not.toContain('index');
    }));

  test('a .git that is a symbolic link is refused, with a hint', () =>
    withSandbox(kind, async ({ run, project, home }) => {
      symlinkSync(home, join(project, '.git'));
      await expect(run('true')).rejects.toMatchObject({
        kind: 'sandbox_unavailable',
        message: `${join(project, '.git')} is a symbolic link, which cannot be kept from being replaced`,
        hint: expect.stringContaining('gitdir: '),
      });
      expect(readdirSync(project)).toEqual(['.git']);
    }));

  test('a writable path that does not exist is refused, a readable one is left out', () =>
    withSandbox(kind, async ({ run, project }) => {
      const missing = join(project, 'missing');
      await expect(run('true', { policy: { writable: [missing] } })).rejects.toMatchObject({
        message: `the policy lets ${missing} be written, but it does not exist`,
      });
      expect((await run('true', { policy: { readable: [missing] } })).code).toBe(0);
      await expect(run('true', { cwd: '/root' })).rejects.toMatchObject({ kind: 'sandbox_unavailable' });
    }));

  test('a home folder that is a link is hidden where it really is', () =>
    withSandbox(kind, async ({ project, policy, tmp, kept }) => {
      // Neither /tmp nor a home folder: those are hidden in any case.
      const real = mkdtempSync(join(process.cwd(), 'node_modules/.home-'));
      try {
        writeFileSync(join(real, 'notes'), 'CANARY');
        symlinkSync(real, join(tmp, 'home'));
        const place = { userHome: join(tmp, 'home'), cognitionHome: kept, commands: join(kept, 'commands'), path: '' };
        const sandbox = findSandbox(
          { machine: place, log: (_level, message) => console.error(message) },
          { only: kind },
        );
        const command = `[ -d ${real} ] && ls -A ${real}`;
        const inside = { program: 'bash', arguments: ['-c', command], policy, cwd: project, tmp };
        const wrapped = await sandbox.wrap(inside);
        const { status, stdout } = spawnSync(wrapped.program, wrapped.arguments, { encoding: 'utf8' });
        wrapped.release();
        expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
      } finally {
        rmSync(real, { recursive: true });
      }
    }));

  test('a project that was closed by one command is not opened by the next', () =>
    withSandbox(kind, async ({ run, project }) => {
      expect((await run('chmod 555 .')).code).toBe(0);
      await run('chmod 755 .; mkdir -p .cognition && echo x >.cognition/config');
      expect(readdirSync(project).filter((name) => name !== '.cognition')).toEqual([]);
      expect(existsSync(join(project, '.cognition/config'))).toBe(false);
      chmodSync(project, 0o755);
    }));

  test('a writable path that is a link is the folder that it points to', () =>
    withSandbox(kind, async ({ run, project, home }) => {
      mkdirSync(join(home, 'real'));
      symlinkSync(join(home, 'real'), join(project, 'link'));
      const { code } = await run('echo x >file', {
        policy: { writable: [join(project, 'link')] },
        cwd: join(home, 'real'),
      });
      expect([code, readdirSync(join(home, 'real'))]).toEqual([0, ['file']]);
    }));

  test('commands of a session share a /tmp of their own', () =>
    withSandbox(kind, async ({ run }) => {
      expect((await run('echo kept >/tmp/file; ls /tmp')).out).toContain('file\n');
      expect((await run('cat /tmp/file /var/tmp/file')).out).toBe('kept\nkept\n');
    }));

  test('the network is off unless the policy gives it', () =>
    withSandbox(kind, async ({ run }) => {
      const own = 'readlink /proc/self/ns/net';
      const outside = `${readlinkSync('/proc/self/ns/net')}\n`;
      expect((await run(own)).out).not.toBe(outside);
      expect((await run(own, { policy: { network: true } })).out).toBe(outside);
    }));

  test('the sandbox and the file tools agree on which files may be read', () =>
    withSandbox(kind, async ({ run, policy, project, home, kept }) => {
      const place = { userHome: home, cognitionHome: kept, commands: join(kept, 'commands'), path: '' };
      const files = ['.ssh/id', 'notes', '.local/bin/tool', '.gitconfig', '.netrc'].map((name) => join(home, name));
      for (const path of ['.ssh', '.local/bin']) mkdirSync(join(home, path), { recursive: true });
      for (const path of [...files, join(project, 'own'), join(kept, 'own')]) writeFileSync(path, 'x');
      const all = [
        ...files,
        join(project, 'own'),
        join(kept, 'own'),
        '/etc/passwd',
        '/etc/shadow',
        '/usr/bin/env',
        '/var/lib/dpkg/status',
      ];
      for (const readable of [null, [join(home, 'notes')], [home]]) {
        const widened = { ...policy, readable };
        const { out } = await run(`for f in ${all.join(' ')}; do head -c 1 "$f" >/dev/null 2>&1 && echo "$f"; done`, {
          policy: widened,
        });
        expect(out.trim().split('\n')).toEqual(all.filter((path) => mayRead(path, widened, place)));
      }
    }));

  test('processes that a command leaves running end with it', () =>
    withSandbox(kind, async ({ run }) => {
      const { out } = await run('setsid sleep 4322 >/dev/null 2>&1 </dev/null & echo started');
      expect(out).toBe('started\n');
      const left = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
      expect(left.filter((line) => line === 'sleep 4322')).toEqual([]);
    }));
});
