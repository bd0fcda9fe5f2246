import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ran, type TestCli, withCli } from '../support/cli.js';
import { connectTo, hubPid } from '../support/hub.js';

interface Planted {
  cli: TestCli;
  /** The secrets, which must appear nowhere, by where they were planted. */
  canaries: Record<'environment' | 'ssh' | 'netrc' | 'sibling', string>;
  run(...words: string[]): Promise<Ran>;
}

/** Runs a test with secrets in the person's environment, home folder and another project of theirs. */
function withSecrets<T>(use: (planted: Planted) => Promise<T>): Promise<T> {
  return withCli(async (cli) => {
    const person = join(dirname(cli.folder), 'person');
    const canary = (): string => `canary-${randomUUID()}`;
    const canaries = { environment: canary(), ssh: canary(), netrc: canary(), sibling: canary() };
    const put = (path: string, text: string): void => {
      mkdirSync(dirname(join(person, path)), { recursive: true });
      writeFileSync(join(person, path), `${text}\n`, { mode: 0o600 });
    };
    put('.ssh/id_ed25519', canaries.ssh);
    put('.netrc', canaries.netrc);
    put('other/.env', `KEY=${canaries.sibling}`);
    const env = { HOME: person, ANTHROPIC_API_KEY: canaries.environment, MY_TOKEN: canaries.environment };
    return use({ cli, canaries, run: (...words) => cli.run(words, { env }) });
  });
}

/** Every file below a folder that holds a text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
}

const LOOK = [
  'env',
  'cat ~/.ssh/id_ed25519 ~/.netrc ~/other/.env',
  'cat "$PERSON"/.ssh/id_ed25519 "$PERSON"/other/.env',
  "tr '\\0' '\\n' < /proc/1/environ",
  'cat /proc/*/environ',
  'ps axeww',
].join('; ');

describe('secrets of a person', () => {
  test('are in nothing that a contained command sees, and in nothing that is stored', async () => {
    await withSecrets(async ({ cli, canaries, run }) => {
      await run('new', 'work');
      const person = join(dirname(cli.folder), 'person');
      const { stdout, stderr } = await run('exec', '@', '--sandbox', `PERSON='${person}'; ${LOOK}`);
      expect(stdout).toContain('PATH=');
      for (const [where, canary] of Object.entries(canaries)) {
        expect({ where, isSeen: `${stdout}${stderr}`.includes(canary) }).toEqual({ where, isSeen: false });
        expect({ where, kept: filesWith(cli.home, canary) }).toEqual({ where, kept: [] });
      }
    });
  });

  test('of the environment reach their own command, and are not stored beyond what it prints', async () => {
    await withSecrets(async ({ cli, canaries, run }) => {
      await run('new', 'work');
      const { stdout } = await run('exec', '@', 'test -n "$MY_TOKEN" && echo it is set');
      expect(stdout).toBe('it is set\n');
      await run('exec', '@', 'export SECOND="$MY_TOKEN"');
      expect((await run('exec', '@', 'test "$SECOND" = "$MY_TOKEN" && echo the same')).stdout).toBe('the same\n');
      expect(filesWith(cli.home, canaries.environment)).toEqual([]);
      const { stdout: exported } = await run('export', '@', '--format', 'json');
      expect(exported).not.toContain(canaries.environment);
    });
  });

  test('are not in the environment of the hub, nor of the tools', async () => {
    await withSecrets(async ({ cli, canaries, run }) => {
      await run('new', 'work');
      await run('exec', '@', 'true');
      const client = await connectTo(cli.home, { start: false });
      const { pid: tools } = await client.call('tools.check', {});
      await client.close();
      for (const pid of [await hubPid(cli.home), tools]) {
        expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(canaries.environment);
      }
    });
  });
});
