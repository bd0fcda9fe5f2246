import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PUBLISH_FILES_FUNCTION } from '../../../hub/sharing/schema/files_schema.js';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { type TestCli, withCli } from '../../support/cli.js';
import { killHub } from '../../support/hub.js';
import { say } from '../../support/model/script.js';
import { KEY, withModelServer } from '../../support/model_server.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, type TestServer } from '../../tools/postgres/server.js';
import { LOGIN_PASSWORD, startRemote, until } from './fleet.js';

const SETS = 'SELECT count(*) FROM cognition.file_sets';
const forget = (which: string): string =>
  `DELETE FROM cognition.file_notes WHERE ${which}; DELETE FROM cognition.file_sets WHERE ${which}`;

describe.skipIf(POSTGRES_BIN === null)('recorded files of shared conversations', { timeout: 240_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRemote();
    await asOwner(server, `CREATE ROLE eva LOGIN PASSWORD '${LOGIN_PASSWORD}'; GRANT cognition_reader TO eva`);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const tables = ['file_notes', 'file_sets', 'outputs', 'tree_outputs', 'entries', 'trees'];
    await asOwner(server, tables.map((table) => `DELETE FROM cognition.${table}`).join('; '));
  });

  /** Runs a test with homes of these logins, which send and fetch when they are told to. */
  async function withPeople(logins: readonly string[], use: (...people: TestCli[]) => Promise<void>): Promise<void> {
    const open = async (opened: TestCli[]): Promise<void> => {
      const login = logins[opened.length];
      if (login === undefined) return use(...opened);
      await withCli(async (cli) => {
        mkdirSync(join(cli.folder, '.git'));
        await cli.print('remote', 'add', 'team', server.loopback(login, LOGIN_PASSWORD));
        await cli.print('config', 'set', 'sharing.live', 'false');
        await open([...opened, cli]);
      });
    };
    await open([]);
  }

  /** A conversation with two states of the files; returns the ids of the nodes where they were. */
  async function writeStates({ folder, print }: TestCli): Promise<[first: string, second: string]> {
    writeFileSync(join(folder, '.gitignore'), '.env\n');
    writeFileSync(join(folder, '.env'), 'KEY=canary-4711');
    await print('new', 'work');
    await print('exec', '@', 'mkdir sub; echo one > a.txt; echo s > "sub/ü b"');
    await print('exec', '@', 'echo two > a.txt; rm -r sub');
    const shown = await print('show', '--ids');
    const at = (command: RegExp): string => command.exec(shown)?.[1] ?? '';
    return [at(/(\w{8}) \[bash:mkdir/), at(/(\w{8}) \[bash:echo two/)];
  }

  const textIn = ({ folder }: TestCli, name: string): string => readFileSync(join(folder, name), 'utf8');

  test('come to whoever wants them, as they were at each place, and nothing of them goes before', () =>
    withPeople(['anna', 'ben'], async (anna, ben) => {
      const [first, second] = await writeStates(anna);
      await anna.print('share', 'work');
      expect(await asOwner(server, SETS)).toEqual([['0']]);
      expect((await ben.run(['pull', 'team/work', '--files'])).stderr).toContain('No new files of it are there.');
      const shared = await anna.run(['share', 'work', '--files']);
      expect(shared).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/Sent \d snapshots of its files: up to 4 paths, \d/),
      });
      writeFileSync(join(ben.folder, 'mine.txt'), 'mine');
      const pulled = await ben.run(['pull', 'team/work', '--files']);
      expect(pulled).toMatchObject({ code: 0, stderr: expect.stringContaining('snapshots of its files came along') });
      expect(readdirSync(ben.folder).sort()).toEqual(['.git', 'mine.txt']);
      await ben.print('use', 'work');
      expect(await ben.print('files', 'diff', first, second, '--patch')).toContain('-one\n+two');
      await ben.print('files', 'restore', first);
      expect([textIn(ben, 'a.txt'), textIn(ben, 'sub/ü b'), textIn(ben, 'mine.txt')]).toEqual(['one\n', 's\n', 'mine']);
      expect(existsSync(join(ben.folder, '.env'))).toBe(false);
      const dump = await asOwner(server, "SELECT encode(bytes, 'escape') FROM cognition.outputs");
      expect(JSON.stringify(dump)).not.toContain('canary-4711');
      for (const one of [anna, ben]) {
        expect(await one.json('fsck')).toMatchObject({ problem_count: 0 });
        expect((await one.run(['fsck', '--remote', 'team'])).code).toBe(0);
      }
    }));

  test('lead whoever goes from branch to branch, past what is theirs', () =>
    withPeople(['anna', 'ben'], async (anna, ben) => {
      const [first, second] = await writeStates(anna);
      await anna.print('exec', '@', 'echo three > b.txt', '--at', first);
      await anna.print('share', 'work', '--files');
      writeFileSync(join(ben.folder, 'mine.txt'), 'mine');
      await ben.print('pull', 'team/work', '--files');
      const third =
        (await ben.print('show', 'work', '--all', '--ids')).match(/(\w{8}) \[bash[^:]*:echo three/)?.[1] ?? '';
      expect(await ben.print('compare', 'work', second, third)).toMatch(
        /Only in[\s\S]*M {2}a\.txt[\s\S]*Only in[\s\S]*A {2}b\.txt/,
      );
      const chat = (input: string) => ben.run(['chat', 'work', '--files', '--at', first], { input });
      expect((await chat(`/goto ${second}\n/quit\n`)).stderr).toMatch(/you stay where you are: .* 1 file: mine\.txt/);
      expect(existsSync(join(ben.folder, 'a.txt'))).toBe(false);
      await chat(`/goto ${second} --carry\n/quit\n`);
      expect([textIn(ben, 'a.txt'), existsSync(join(ben.folder, 'sub'))]).toEqual(['two\n', false]);
      await ben.run(['chat', 'work', '--files'], { input: `/switch ${third}\n/quit\n` });
      expect([textIn(ben, 'b.txt'), textIn(ben, 'mine.txt')]).toEqual(['three\n', 'mine']);
    }));

  test('come also of later turns, each sent once, from whichever hub', () =>
    withPeople(['anna', 'ben'], async (anna, ben) => {
      await writeStates(anna);
      await anna.print('share', 'work', '--files');
      await ben.print('pull', 'team/work', '--files');
      const bytes = 'SELECT sum(length(bytes)) FROM cognition.outputs';
      const before = Number((await asOwner(server, bytes))[0]?.[0]);
      await withModelServer(async (model) => {
        model.script(
          say(words('I write.'), call('c1', 'write', { path: 'made.txt', content: 'hello\n' })),
          say(words('It is made.')),
        );
        const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: model.origin };
        const answered = await anna.run(['ask', 'work', 'make it', '--model', 'sonnet', '--level', 'minimal'], { env });
        expect(answered).toMatchObject({ code: 0 });
      });
      expect(await anna.print('push')).toMatch(/sent \d snapshots? of files/);
      expect(await anna.print('sync')).toMatch(/up to date/);
      expect(Number((await asOwner(server, bytes))[0]?.[0])).toBeLessThan(before + 2_000);
      expect(await ben.print('sync')).toMatch(/received \d snapshots? of files/);
      await ben.print('use', 'work');
      await ben.print('files', 'restore', '@');
      expect(textIn(ben, 'made.txt')).toBe('hello\n');
      await ben.print('exec', '@', 'echo three > a.txt');
      expect(await ben.print('sync')).toMatch(/sent \d snapshots? of files/);
      expect(await anna.print('sync')).toMatch(/received \d snapshots? of files/);
      await anna.print(
        'files',
        'restore',
        (await ben.print('show', '--ids')).match(/(\w{8}) \[bash[^:]*:echo three/)?.[1] ?? '',
      );
      expect(textIn(anna, 'a.txt')).toBe('three\n');
    }));

  test('go on where a killed hub has stopped, and are refused above a size', () =>
    withPeople(['anna', 'ben'], async (anna, ben) => {
      await writeStates(anna);
      await anna.print('config', 'set', 'sharing.files_megabytes_max', '0.001');
      const refused = await anna.run(['share', 'work', '--files']);
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/its recorded files would have 0\.\d+ MB at team, of 0\.001 MB at most/),
      });
      await anna.print('config', 'set', 'sharing.files_megabytes_max', '100');
      // The first one is there, the second is cut off in the middle of it.
      await asOwner(
        server,
        `CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF (SELECT count(*) FROM cognition.file_sets) > 0 THEN PERFORM pg_sleep(60); END IF; RETURN new; END $$;
         CREATE TRIGGER hold BEFORE INSERT ON cognition.file_sets FOR EACH ROW EXECUTE FUNCTION public.hold()`,
      );
      const cut = anna.run(['sync']);
      const isHeld = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
      while ((await asOwner(server, isHeld))[0]?.[0] !== '1') await new Promise(setImmediate);
      await killHub(anna.home);
      expect(await asOwner(server, SETS)).toEqual([['1']]);
      await asOwner(server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
      await asOwner(server, `DROP TRIGGER hold ON cognition.file_sets; DROP FUNCTION public.hold`);
      await cut;
      await anna.print('sync');
      // Of two sets of a piece each the first fits.
      await ben.print('config', 'set', 'sharing.files_megabytes_max', '0.4');
      const stopped = await ben.run(['pull', 'team/work', '--files']);
      expect(stopped.stderr).toContain('recorded files at team have 0.53 MB, of 0.4 MB at most');
      await ben.print('config', 'set', 'sharing.files_megabytes_max', '100');
      await ben.print('pull', 'team/work', '--files');
      await ben.print('use', 'work');
      await ben.print('files', 'restore', '@');
      expect(textIn(ben, 'a.txt')).toBe('two\n');
    }));

  test('that are forged or damaged are refused, and what is said goes on', () =>
    withPeople(['anna', 'ben'], async (anna, ben) => {
      await writeStates(anna);
      await anna.print('share', 'work', '--files');
      await asOwner(server, 'UPDATE cognition.outputs SET bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1)');
      const pulled = await ben.run(['pull', 'team/work', '--files']);
      expect(pulled).toMatchObject({ code: 1 });
      expect(pulled.stderr).toMatch(
        /the recorded files 1 of \w{8} at team, of the hub \w{8}, are refused: .* is not whole/,
      );
      expect((await anna.run(['fsck', '--remote', 'team'])).stdout).toMatch(/the stored output \w{12} is damaged/);
      await anna.print('mark', 'work', 'here', '@');
      await anna.print('push');
      expect((await ben.run(['pull'])).stdout).toMatch(/received|refused/);
      await ben.print('use', 'work');
      expect(await ben.print('show')).toContain('echo two');
      // Once they are whole again they are taken.
      await asOwner(server, 'UPDATE cognition.outputs SET bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1)');
      expect((await ben.run(['pull'])).stdout).toMatch(/received \d snapshots? of files/);
    }));

  test('that are refused do not keep away those that come after them', () =>
    withPeople(['anna', 'ben'], async (anna, ben) => {
      await writeStates(anna);
      await anna.print('share', 'work', '--files');
      // Of a node that is not there, before what comes next.
      await asOwner(
        server,
        `UPDATE cognition.trees SET files_last = 10;
         INSERT INTO cognition.file_sets SELECT id, 10, gen_random_uuid(), 1, '{}' FROM cognition.trees;
         INSERT INTO cognition.file_notes SELECT id, 10, gen_random_uuid(), repeat('ab', 32), 'after', 1 FROM cognition.trees`,
      );
      await anna.print('exec', '@', 'echo three > a.txt');
      expect(await anna.print('push')).toContain('sent 1 snapshot of files');
      const pulled = await ben.run(['pull', 'team/work', '--files']);
      expect(pulled).toMatchObject({ code: 1, stderr: expect.stringContaining('the recorded files 10 of ') });
      await ben.print('use', 'work');
      await ben.print('files', 'restore', '@');
      expect(textIn(ben, 'a.txt')).toBe('three\n');
      const again = await ben.run(['pull']);
      expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining('1 set of files refused') });
      await asOwner(server, forget('n = 10'));
      expect((await ben.run(['pull'])).stdout).toContain('up to date');
    }));

  test('of others count for what nobody has noted, and what was made up is refused', () =>
    withPeople(['anna', 'ben'], async (anna, ben) => {
      const [first] = await writeStates(anna);
      await anna.print('share', 'work', '--files');
      const forge = (pack: string, node: string, root: string): Promise<unknown> =>
        asOwner(
          server,
          `${forget('n > 9')};
           INSERT INTO cognition.outputs VALUES (encode(sha256('${pack}'), 'hex'), 0, '${pack}') ON CONFLICT DO NOTHING;
           INSERT INTO cognition.tree_outputs SELECT id, encode(sha256('${pack}'), 'hex'), 1 FROM cognition.trees ON CONFLICT DO NOTHING;
           INSERT INTO cognition.file_sets SELECT id, 10, gen_random_uuid(), 1, ARRAY[encode(sha256('${pack}'), 'hex')] FROM cognition.trees;
           INSERT INTO cognition.file_notes SELECT id, 10, ${node}, ${root}, 'after', 1 FROM cognition.trees`,
        );
      const madeUp = "repeat('ab', 32)";
      const firstNode = '(SELECT node FROM cognition.file_notes WHERE n = 1 LIMIT 1)';
      const refusals: [node: string, root: string, reason: RegExp][] = [
        [firstNode, madeUp, /are refused: the recorded files cannot be imported: the pack \w{64} has no directory/],
        ['gen_random_uuid()', madeUp, /are refused: there is no node/],
      ];
      for (const [node, root, reason] of refusals) {
        await forge('junk', node, root);
        const pulled = await ben.run(['pull', 'team/work', '--files']);
        expect(pulled).toMatchObject({ code: 1, stderr: expect.stringMatching(reason) });
      }
      // What is there of the rest is taken; a root that is known says nothing of a node that is noted.
      await forge(
        'junk',
        firstNode,
        '(SELECT root FROM cognition.file_notes WHERE n <= 9 ORDER BY at_ms DESC LIMIT 1)',
      );
      await ben.print('pull', 'team/work', '--files');
      await ben.print('use', 'work');
      await ben.print('files', 'restore', first);
      expect(textIn(ben, 'a.txt')).toBe('one\n');
      // Whoever owns the remote deletes what is damaged; the hub that has it sends it again.
      await asOwner(server, forget('n = 1'));
      expect((await anna.run(['share', 'work', '--files'])).stderr).toContain('Sent 1 snapshot');
      await asOwner(server, 'DELETE FROM cognition.tree_outputs; DELETE FROM cognition.file_notes WHERE n = 10');
      const { stdout } = await anna.run(['fsck', '--remote', 'team']);
      expect(stdout).toMatch(/its recorded files 10 lack a pack/);
    }));

  test('follow by themselves where hubs stay connected', () =>
    withPeople(['anna', 'ben'], async (anna, ben) => {
      const [, second] = await writeStates(anna);
      for (const { print } of [anna, ben]) await print('config', 'set', 'sharing.live', 'true');
      await anna.print('share', 'work', '--files');
      await ben.print('pull', 'team/work', '--files');
      await ben.print('use', 'work');
      await anna.print('exec', '@', 'echo three > a.txt');
      const shows = async (): Promise<string> =>
        (await ben.print('show', '--ids')).match(/(\w{8}) \[bash[^:]*:echo three/)?.[1] ?? '';
      await until(async () => (await shows()) !== '');
      const node = await shows();
      await until(async () => (await ben.print('files', 'diff', node, second, '--patch')).includes('three'));
    }));

  test('are read by a reader, and sent by none; what is purged is gone from the remote', () =>
    withPeople(['anna', 'eva'], async (anna, eva) => {
      await writeStates(anna);
      await anna.print('share', 'work', '--files');
      await eva.print('pull', 'team/work', '--files');
      await eva.print('use', 'work');
      await eva.print('files', 'restore', '@');
      expect(textIn(eva, 'a.txt')).toBe('two\n');
      await eva.print('exec', '@', 'echo hers > a.txt');
      expect(await eva.run(['push'])).toMatchObject({ code: 1 });
      const mayPublish = `SELECT has_function_privilege('eva', '${PUBLISH_FILES_FUNCTION}', 'EXECUTE')`;
      expect(await asOwner(server, mayPublish)).toEqual([['f']]);
      await anna.print('remote', 'add', 'team', server.socket);
      await anna.print('unshare', 'work', '--purge');
      for (const table of ['file_sets', 'file_notes', 'outputs', 'tree_outputs', 'entries'])
        expect(await asOwner(server, `SELECT count(*) FROM cognition.${table}`)).toEqual([['0']]);
    }));
});
