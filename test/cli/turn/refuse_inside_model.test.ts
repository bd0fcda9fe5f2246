import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { PROGRAM, type TestCli, withCli } from '../../support/cli.js';
import { KEY, withModelServer } from '../../support/model_server.js';

const PACKAGES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
const Trees = z.array(z.object({ id: z.string() }));
const NESTED = 'COGNITION_HOME=/tmp/nested';

/** Puts the program where a model can read it, wherever this repository lies. */
function copyProgram(folder: string): string {
  const target = join(folder, 'program');
  const isNeeded = (path: string): boolean => !/\/(types|deps|src|obj|obj\.target|\.deps)$/.test(path);
  cpSync(dirname(PROGRAM), join(target, 'dist'), { recursive: true, filter: isNeeded });
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
    cpSync(join(PACKAGES, name), join(target, 'node_modules', name), { recursive: true, filter: isNeeded });
  }
  return join(target, 'dist', 'cognition.cjs');
}

/** Lets the demo model run these lines in one command, and returns what each printed. */
async function inside({ folder, run }: TestCli, lines: readonly string[], env: Record<string, string> = {}) {
  const program = copyProgram(folder);
  const script = lines.map((line, index) => `(${line}) > result${index} 2>&1; echo "exit $?" >> result${index}`);
  writeFileSync(
    join(folder, 'attack.sh'),
    `cognition() { "${process.execPath}" "${program}" "$@"; }\n${script.join('\n')}\n`,
  );
  const words = ['ask', 'demo: run bash attack.sh\ndemo: then\ndemo: say Done.', '--model', 'demo'];
  expect(await run(words, { env })).toMatchObject({ code: 0, stdout: 'Done.\n' });
  return lines.map((_, index) => readFileSync(join(folder, `result${index}`), 'utf8'));
}

/** The command lines of all processes that run now. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => (existsSync(`/proc/${name}/cmdline`) ? readOrNothing(`/proc/${name}/cmdline`) : ''));
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it has ended meanwhile
  }
}

test('a command that a model runs is refused with a hint at spawn_session', async () => {
  await withCli(async (cli) => {
    const results = await inside(cli, [
      'cognition spawn -t x -m demo',
      'cognition ask x -m demo',
      'cognition chat',
      'cognition --version',
      'cognition compact',
      'cognition demo',
      'cognition answer x',
    ]);
    const [spawned, askOutput, talked, version, ...others] = results;
    const hint = 'hint: a model that may start sub-sessions has the tool spawn_session\nexit 1\n';
    expect(spawned).toMatch(/^cognition: spawn is not for models: this command runs in the tree [0-9a-f]{8}\n/);
    expect(askOutput).toMatch(/^cognition: ask is not for models: /);
    expect(talked).toMatch(/^cognition: chat is not for models: /);
    expect(spawned).toContain(hint);
    for (const other of others) expect(other).toMatch(/^cognition: (compact|demo|answer) is not for models: /);
    expect(version).toMatch(/^\d+\.\d+\.\d+\nexit 0\n$/);
    expect(await cli.json('list')).toHaveLength(1);
  });
});

test.runIf(process.platform === 'linux')(
  'a model that starts a hub of its own inside its sandbox has no hub, no key, no network and no other place to write',
  async () => {
    await withModelServer((server) =>
      withCli(async (cli) => {
        const { home, folder } = cli;
        const outside = join(dirname(folder), 'outside');
        mkdirSync(outside);
        const free = 'unset COGNITION_SESSION; ';
        const shell = `touch ${outside}/file ${home}/file; env; cat ${home}/session.json; echo over`;
        const keyed = `ANTHROPIC_API_KEY=${KEY} ANTHROPIC_BASE_URL=${server.origin}`;
        const results = await inside(
          cli,
          [
            // The hub of the person, by its home and by what is usual.
            `${free} COGNITION_HOME=${home} cognition list`,
            `${free} COGNITION_HOME=${home} cognition spawn -t x -m demo`,
            // A hub of its own, which does whatever it is told.
            `${free} ${NESTED} cognition spawn --no-sandbox -m demo -t 'demo: run ${shell}'`,
            `${free} ${NESTED} cognition spawn --no-sandbox -m demo -t 'demo: call spawn_session {"task": "demo: run ${shell}"}'`,
            `${free} ${NESTED} cognition spawn -t x -m sonnet`,
            `${free} ${NESTED} ${keyed} cognition spawn -t x -m sonnet --max-turns 1 --jsonl | grep -m 1 request_failed`,
          ],
          { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
        );
        const [listed, joined, nested, deeper, unkeyed, offline] = results;
        const [tree = '', ...others] = Trees.parse(await cli.json('list')).map(({ id }) => id);
        expect(others).toEqual([]);
        // Where the home is, there is another, which is empty and gone with the command.
        expect(listed).toMatch(/^No conversations\./);
        expect(joined).toContain('I cannot answer that');
        for (const result of [nested, deeper]) {
          expect(result).toMatch(/\nover\n.*exit 0\n$/s);
          expect(result).not.toContain(KEY);
          expect(result).not.toContain(tree);
        }
        expect(unkeyed).toMatch(/there is no key for anthropic.*exit 4\n$/s);
        expect(offline).toContain('"kind":"network"');
        expect(server.requests).toEqual([]);
        expect(readdirSync(outside)).toEqual([]);
        expect(existsSync(join(home, 'file'))).toBe(false);
        // What it has started has ended with its command.
        expect(commandLines().filter((line) => line.includes(join(folder, 'program')))).toEqual([]);
      }),
    );
  },
);
