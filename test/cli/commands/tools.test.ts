import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { type TestCli, userHomeBeside, withCli } from '../../support/cli.js';

const SERVERS = fileURLToPath(new URL('../../support/tool_servers/', import.meta.url));

interface ServerCli extends TestCli {
  /** A program that stands alone in a folder. */
  server(name: 'small_server' | 'hostile_server'): string;
  userHome: string;
  /** Names servers as Claude Code does. */
  setUp(servers: object): void;
  tools(...words: string[]): ReturnType<TestCli['run']>;
}

function withServers<T>(use: (cli: ServerCli) => Promise<T>): Promise<T> {
  const bin = mkdtempSync(join(tmpdir(), 'cognition-servers-'));
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
  return withCli((cli) => {
    const userHome = userHomeBeside(cli.folder);
    return use({
      ...cli,
      userHome,
      server(name) {
        const outfile = join(bin, `${name}.mjs`);
        const banner = { js: "import{createRequire as r}from'node:module';const require=r(import.meta.url);" };
        buildSync({
          entryPoints: [join(SERVERS, `${name}.mjs`)],
          bundle: true,
          platform: 'node',
          format: 'esm',
          outfile,
          banner,
          logLevel: 'error',
        });
        return outfile;
      },
      setUp: (mcpServers) => writeFileSync(join(userHome, '.claude.json'), JSON.stringify({ mcpServers })),
      tools: (...words) =>
        cli.run(['tools', ...words], { env: { A_TOKEN: 'a-secret', OTHER_TOKEN: 'another-secret' } }),
    });
  });
}

const node = process.execPath;
const variable = (name: string): string => `$\{${name}}`;

test('servers are read from what people have set up, each is called by its schema, and kept', () =>
  withServers(async ({ setUp, tools, server, userHome, folder }) => {
    const args = [server('small_server')];
    setUp({
      small: { command: node, args, env: { TOKEN: variable('A_TOKEN') } },
      web: { url: 'https://example.com/mcp' },
    });
    mkdirSync(join(userHome, '.codex'));
    writeFileSync(
      join(userHome, '.codex', 'config.toml'),
      `[mcp_servers.of_codex]\ncommand = ${JSON.stringify(node)}\nargs = ${JSON.stringify(args)}\n`,
    );
    mkdirSync(join(userHome, '.gemini'));
    writeFileSync(join(userHome, '.gemini', 'settings.json'), '{"mcpServers": {"of_gemini": {"command": "nothing"}}}');
    const listed = await tools();
    expect(listed.stdout).toMatch(/^small\s+no network\s/m);
    expect(listed.stdout).toMatch(/^web\s+not supported: over HTTP/m);
    for (const name of ['of_codex', 'of_gemini']) expect(listed.stdout).toContain(name);
    expect((await tools('small')).stdout).toMatch(/^add\s+Adds numbers\.\ncount\s/);
    const help = (await tools('small', 'add', '--help')).stdout;
    expect(help).toContain('cognition tools small add --a <number> [--b <integer>]');
    expect(await tools('small', 'add', '--a', '1.5', '--b=2', '--words', 'x', '--words', 'y', '--loud')).toMatchObject({
      code: 0,
      stdout: '3.5 x+y!\n',
    });
    expect((await tools('small', 'add', '{"a": 4}')).stdout).toBe('4\n');
    const [first, second] = [(await tools('small', 'count')).stdout, (await tools('small', 'count')).stdout];
    expect([first.trim(), second.trim()].map((text) => text.split(' ')[1])).toEqual(['1', '2']);
    expect(first.split(' ')[0]).toBe(second.split(' ')[0]);
    expect((await tools('of_codex', 'add', '--a', '1')).stdout).toBe('1\n');
    const json = JSON.parse((await tools('--json', 'small', 'add', '--a', '1')).stdout);
    expect(json).toEqual({ text: '1', failed: false, is_cut: false });
    expect(existsSync(join(folder, '.mcp.json'))).toBe(false);
  }));

test('wrong words are refused with what the tool takes, and a tool that fails is a failure', () =>
  withServers(async ({ setUp, tools, server }) => {
    setUp({ small: { command: node, args: [server('small_server')] } });
    const refused = async (...words: string[]): Promise<string> => {
      const { code, stderr } = await tools(...words);
      expect(code).toBeGreaterThan(0);
      return stderr;
    };
    expect(await refused('smal')).toContain('did you mean small?');
    expect(await refused('small', 'ad')).toContain('did you mean add?');
    expect(await refused('small', 'add')).toContain('needs --a');
    expect(await refused('small', 'add', '--a', 'x')).toContain('takes a number');
    expect(await refused('small', 'add', '--a', '1', '--wrods', 'x')).toContain('did you mean --words?');
    expect(await refused('small', 'add', 'x')).toContain('is no option');
    expect(await refused('--trust')).toContain('it takes a server');
    expect((await tools('small', 'shell', '--command', 'ls /nowhere')).code).toBeGreaterThan(0);
  }));

test('a server has no network but by a grant, writes nothing of the person, and is given no variable but its own', () =>
  withServers(async ({ setUp, tools, server, folder, userHome }) => {
    setUp({ small: { command: node, args: [server('small_server')], env: { TOKEN: variable('A_TOKEN') } } });
    const shell = async (command: string): Promise<string> =>
      (await tools('small', 'shell', '--command', command)).stdout;
    const said = await shell('env; tail -n +3 /proc/net/dev | cut -d: -f1');
    expect(said).toContain('TOKEN=a-secret');
    expect(said).not.toContain('another-secret');
    expect(said.trim().split('\n').at(-1)?.trim()).toBe('lo');
    await shell(`touch ${folder}/made ${userHome}/made`);
    for (const path of [folder, userHome]) expect(existsSync(join(path, 'made'))).toBe(false);
    expect(await shell(`cat ${join(userHome, '.claude.json')} 2>&1 || true`)).not.toContain('mcpServers');
    expect(await shell('echo kept > ~/note; cat ~/note')).toBe('kept\n');
    const granted = await tools('--net', '--yes', 'small');
    expect(granted.stderr).toMatch(/gets of your environment: A_TOKEN[\s\S]*with the network/);
    expect((await tools()).stdout).toMatch(/^small\s+network/m);
    await tools('--no-net', '--yes', 'small');
    expect((await tools()).stdout).toMatch(/^small\s+no network/m);
  }));

test('variables of a server count in the sandbox alone, and its folder and its program are seen there', () =>
  withServers(async ({ setUp, tools, server, folder, userHome }) => {
    const bin = join(userHome, '.local', 'bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(node, join(bin, 'own_node'));
    const own = join(userHome, 'work');
    mkdirSync(own);
    // The loader writes what it looks up to a file: of the sandbox itself, if that got the variable.
    const loaded = `loaded-by-${basename(dirname(folder))}`;
    const env = {
      LD_DEBUG: 'libs',
      LD_DEBUG_OUTPUT: join('/tmp', loaded),
      PATH: `${bin}:/usr/bin:/bin`,
      UID_OF: "a'b$c",
    };
    setUp({
      own: { command: 'own_node', args: [server('small_server')], env, cwd: own },
      lost: { command: node, args: [server('small_server')], cwd: join(own, 'missing') },
    });
    const said = await tools('own', 'shell', '--command', 'pwd; env | grep -v COMMAND=');
    expect(said.stdout.split('\n')[0]).toBe(own);
    expect(said.stdout).toContain(`LD_DEBUG_OUTPUT=/tmp/${loaded}`);
    expect(said.stdout).toContain("UID_OF=a'b$c");
    expect(said.stdout).not.toContain('CARRIED');
    expect(readdirSync('/tmp').filter((name) => name.startsWith(loaded))).toEqual([]);
    expect((await tools('--net', '--yes', 'own')).stderr).toContain(`in: ${own}`);
    expect((await tools('lost')).stderr).toContain('a folder that is not there');
  }));

test('what a project names runs nothing before it is trusted as it is, and again when it has changed', () =>
  withServers(async ({ tools, server, folder, home, setUp }) => {
    const mark = join(folder, 'ran');
    const write = (args: string[], name = 'theirs'): void =>
      writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { [name]: { command: node, args } } }));
    const program = server('small_server');
    write([program]);
    expect((await tools()).stdout).toMatch(/^theirs\s+not trusted/m);
    for (const words of [['theirs'], ['theirs', 'add', '--a', '1'], ['theirs', 'add', '--help']]) {
      const { code, stderr } = await tools(...words);
      expect(code).toBeGreaterThan(0);
      expect(stderr).toMatch(/have not said yes[\s\S]*cognition tools --trust theirs/);
    }
    expect((await tools('--trust', 'theirs')).stderr).toContain('no terminal to ask on');
    expect((await tools('theirs')).code).toBeGreaterThan(0);
    const shown = await tools('--trust', '--yes', 'theirs');
    expect(shown.stderr).toContain(program);
    expect((await tools('theirs', 'add', '--a', '1')).stdout).toBe('1\n');
    write([program, mark]);
    expect((await tools()).stdout).toMatch(/^theirs\s+not trusted/m);
    expect((await tools('theirs', 'add', '--a', '1')).code).toBeGreaterThan(0);
    expect(existsSync(mark)).toBe(false);
    write([program]);
    expect((await tools('theirs', 'add', '--a', '1')).stdout).toBe('1\n');
    writeFileSync(join(home, 'tool_servers.json'), '{ damaged');
    expect((await tools('theirs', 'add', '--a', '1')).code).toBeGreaterThan(0);
    setUp({ theirs: { command: node, args: [program] } });
    expect((await tools('theirs', 'add', '--a', '2')).stdout).toBe('2\n');
  }));

test('what is wrong in a configuration is told, and the rest counts', () =>
  withServers(async ({ tools, setUp, server, folder, userHome }) => {
    setUp({
      good: { command: node, args: [server('small_server')] },
      bad: 7,
      'e\u001b[2Jvil': { command: 'x' },
      ['\u{1f600}'.repeat(150)]: { command: 'x' },
      off: { command: 'x', disabled: true },
    });
    writeFileSync(join(folder, '.mcp.json'), '{ no json');
    mkdirSync(join(userHome, '.codex'));
    writeFileSync(join(userHome, '.codex', 'config.toml'), 'no = = toml');
    const { stdout, stderr } = await tools();
    expect(stdout).toContain('good');
    for (const name of ['bad', 'vil', 'off']) expect(stdout).not.toContain(name);
    expect(stderr).toMatch(/\.mcp\.json is not understood/);
    expect(stderr).toMatch(/config\.toml is not understood/);
    expect(stderr).toContain('"bad" is not understood');
    expect(`${stdout}${stderr}`).not.toContain('\u001b');
    setUp({
      empty: { command: '', args: [] },
      missing: { command: 'no-such-program-at-all' },
      wants: { command: node, args: [variable('NO_SUCH_VARIABLE')] },
    });
    for (const name of ['empty', 'missing', 'wants']) expect((await tools(name)).code, name).toBeGreaterThan(0);
    expect((await tools('wants')).stderr).toContain('NO_SUCH_VARIABLE');
  }));

test('a server that lies, floods, hangs or dies is told as that, and harms nobody', () =>
  withServers(async ({ tools, setUp, server }) => {
    const program = server('hostile_server');
    const modes = [
      'many',
      'odd',
      'endless',
      'ends',
      'floods',
      'dies',
      'terminal',
      'lies',
      'big',
      'pings',
      'deep',
      'broken',
    ];
    setUp(Object.fromEntries(modes.map((mode) => [mode, { command: node, args: [program, mode] }])));
    const many = await tools('many');
    expect(many.stdout.split('\n').length).toBe(5_001);
    expect(many.stderr).toContain('only the first 5000');
    const odd = await tools('odd');
    expect(odd.stdout).toMatch(/^fine\s+<U\+202E>after\ndeep\s*$/m);
    expect(odd.stderr).toContain('4 of its tools are not understood');
    for (const sign of ['\u001b', '\u0007', '\u202e']) expect(`${odd.stdout}${odd.stderr}`).not.toContain(sign);
    expect((await tools('odd', 'deep', '--help')).stdout).toContain('Usage: cognition tools odd deep');
    expect((await tools('endless')).stderr).toContain('only the first 100');
    expect((await tools('ends')).stderr).toMatch(/ends did not start[\s\S]*the hostile one has begun/);
    expect((await tools('floods', 'go')).stderr).toMatch(/floods did not answer go[\s\S]*a line of it is too long/);
    expect((await tools('dies', 'go')).stderr).toContain('dies did not answer go');
    expect((await tools('dies')).stdout).toContain('goes');
    expect((await tools('terminal', 'go')).stdout).toBe('cleared\n');
    expect((await tools('lies', 'go')).code).toBeGreaterThan(0);
    expect((await tools('big')).stderr).toMatch(/only the first \d{2,4} of its tools/);
    expect((await tools('pings', 'go')).stderr).toMatch(/pings did not answer go[\s\S]*(too much|does not read)/);
    expect((await tools('deep', 'go')).stderr).toMatch(/deep did not answer go[\s\S]*nested too deeply/);
    expect((await tools('broken', 'go')).stdout).toBe('after all\n');
  }));
