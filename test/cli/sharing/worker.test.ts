import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { killHub } from '../../support/hub.js';
import { breaking, say } from '../../support/model/script.js';
import { KEY } from '../../support/model_server.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, type TestServer } from '../../tools/postgres/server.js';
import { inShell, type Started, startProgram } from '../shell.js';
import { endOf, startRemote, until, withFleet } from './fleet.js';

const LAPSE = "UPDATE cognition.tasks SET leased_until = now() - interval '1 s' WHERE state = 'running'";

const sentStep = (count: number): string =>
  `SELECT 1 FROM cognition.entries e JOIN cognition.tasks k ON k.tree = e.tree
   WHERE e.body LIKE '%"id":"' || k.tip || '"%' AND e.body LIKE '%Step ${count}.%'`;

/** Resolves when a program has told this on stderr. */
const startedSaying = ({ child }: Started, expected: string): Promise<void> =>
  new Promise((resolve) => {
    let soFar = '';
    child.stderr?.on('data', (piece) => {
      soFar += String(piece);
      if (soFar.includes(expected)) resolve();
    });
  });

describe.skipIf(POSTGRES_BIN === null)('a worker', { timeout: 240_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRemote();
  });
  afterAll(() => server.stop());

  /** The connections that have asked for a task last. */
  const waiting = (): Promise<string[][]> =>
    asOwner(server, "SELECT pid FROM pg_stat_activity WHERE usename = 'ben' AND query LIKE '%cognition.task_take%'");

  test('answers what is asked elsewhere: its steps come, its changes as a patch, its keys nowhere', async () => {
    await withFleet(server, async ({ people: { anna, ben }, model, work }) => {
      const worker = work(ben, 'web', '--for', 'anna');
      await until(async () => (await waiting()).length === 1);
      const [connection] = await waiting();
      model.script(
        say(words('I write.'), call('c1', 'write', { path: 'made.txt', content: 'hello\n' })),
        say(words('It is made.')),
      );
      const answered = await anna.run(['ask', 'make a file', '--on', 'team', '--project', 'web']);
      expect(answered).toMatchObject({ code: 0, stdout: 'It is made.\n' });
      expect(answered.stderr).toMatch(
        /is shared over team from now on[\s\S]* works on it\.\nI write\.\n\[write\] made\.txt\n1 path changed/,
      );
      expect(await anna.print('show')).toMatch(/User: make a file[\s\S]*\[write:made\.txt\][\s\S]*\[patch/);
      // The folder of the worker is as it was, and the patch makes the same of another.
      expect(readdirSync(join(ben.folder, 'web'))).toEqual([]);
      expect((await inShell(anna, 'git init -q . && cognition output @ | git apply && cat made.txt')).stdout).toBe(
        'hello\n',
      );
      expect(await anna.print('workers')).toMatch(/web {2}minimal {2}0 of 4 {2}for anna[\s\S]*done {2}web {2}anna/);
      await worker.printed('"task_ended"');
      // What waits, holds and ends does so over one connection.
      await until(async () => (await waiting()).length === 1);
      expect(await waiting()).toEqual([connection]);
      const dump = await asOwner(
        server,
        'SELECT body FROM cognition.entries UNION ALL SELECT t::text FROM cognition.tasks t',
      );
      expect(JSON.stringify(dump)).not.toContain(KEY);
      const kept = readdirSync(anna.home, { recursive: true, encoding: 'utf8' }).map((path) => join(anna.home, path));
      for (const path of kept.filter((one) => statSync(one).isFile()))
        expect(readFileSync(path).includes(KEY)).toBe(false);
      // The copy in which it worked is gone.
      expect(await ben.print('files', 'copies', '--all').catch(() => '')).not.toContain('worker web');
    });
  });

  test('runs nothing for those whom it is not for, whatever is said in their name', async () => {
    await withFleet(server, async ({ people: { anna, ben, mallory }, model, work, tasks }) => {
      const own = await mallory.run(['ask', 'hello', '--on', 'team', '--project', 'web', '--detach']);
      expect(own).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
      work(ben, 'web', '--for', 'anna,ben');
      expect(endOf((await anna.run(['ask', 'hello', '--on', 'team', '--project', 'web', '--json'])).stdout).state).toBe(
        'done',
      );
      // The older one of somebody else, and one of another project, have been passed by.
      expect(await tasks('login, state')).toEqual([
        ['mallory', 'queued'],
        ['anna', 'done'],
      ]);
      expect(model.requests).toHaveLength(1);
      const [[id = ''] = []] = await tasks('id');
      expect((await anna.run(['workers', '--cancel', id])).stderr).toMatch(/the task .* is mallory's/);
      expect(await mallory.print('workers', '--cancel', id.slice(0, 8))).toBe('It is stopped.\n');
    });
  });

  test('gives a task no more than both allow: level, money, models', async () => {
    await withFleet(server, async ({ people: { anna, ben }, model, work, tasks }) => {
      await ben.print('config', 'set', 'server.anthropic.prices', '10/100');
      work(ben, 'web', '--for', 'anna', '--max-cost', '5');
      const ask = (...more: string[]) =>
        anna.run(['ask', 'hello', '--on', 'team', '--project', 'web', '--json', ...more]);
      const write = say(call('c1', 'write', { path: 'made.txt', content: 'x' }));
      model.script(write, say(words('I cannot.')));
      expect(endOf((await ask('--level', 'readonly')).stdout)).toMatchObject({
        state: 'done',
        text: 'I cannot.',
        reason: null,
      });
      expect(JSON.stringify(model.requests[1]?.body.messages)).toMatch(/not|no tool|unknown/);
      model.script(...Array.from({ length: 20 }, () => say(call('c1', 'bash', { command: 'true' }))));
      const dear = endOf((await ask('--max-cost', '0.000001')).stdout);
      expect(dear).toMatchObject({ state: 'failed', reason: 'Stopped: it has cost as much as it may' });
      const requests = model.requests.length;
      expect(requests).toBeLessThan(6);
      // What no worker here has is left for another.
      await anna.run(['ask', 'hello', '--on', 'team', '--project', 'web', '--model', 'opus', '--detach']);
      expect(endOf((await ask('--model', 'demo')).stdout).state).toBe('done');
      expect((await tasks('state')).flat()).toEqual(['done', 'failed', 'queued', 'done']);
      expect((await ask('--level', 'ask')).stderr).toContain('a worker has nobody to ask');
      expect((await ask('--net')).stderr).toContain('--net does not go with --on');
      expect((await anna.run(['ask', 'hello', '--detach'])).stderr).toContain('--detach goes with --on');
      expect((await anna.run(['worker', '--model', 'demo'])).stderr).toContain('a worker needs a level');
    });
  });

  test('stops when whoever began it does, and keeps what was said', async () => {
    await withFleet(server, async ({ people: { anna, ben }, model, work }) => {
      const worker = work(ben, 'web', '--for', 'anna');
      model.script(breaking('hang', words('I was about to say')));
      const asking = startProgram(anna, ['ask', 'hello', '--on', 'team', '--project', 'web']);
      await model.hanging();
      asking.child.kill('SIGINT');
      const ended = await asking.ended;
      expect(ended).toMatchObject({ code: 130, stdout: 'I was about to say\n[interrupted]\n' });
      expect(ended.stderr).toContain('Stopped: a person stopped it');
      await worker.printed('"stopped"');
    });
  });

  test('that is to end does so after the step that runs, and leaves the rest to another', async () => {
    await withFleet(server, async ({ people: { anna, ben }, model, work, tasks }) => {
      const first = work(ben, 'web', '--for', 'anna');
      const gate = 'echo first > made.txt; while [ ! -e go ]; do sleep 0.05; done';
      model.script(say(words('First.'), call('c1', 'bash', { command: gate })), breaking('hang', words('never')));
      const asking = startProgram(anna, ['ask', 'go', '--on', 'team', '--project', 'web']);
      const made = (): string =>
        spawnSync('find', [ben.home, '-name', 'made.txt']).stdout.toString().split('\n')[0] ?? '';
      await until(async () => made() !== '');
      const isToEnd = startedSaying(first, 'It ends after the steps');
      first.child.kill('SIGINT');
      await isToEnd;
      writeFileSync(join(dirname(made()), 'go'), '');
      const ended = await first.ended;
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('"state":"queued"') });
      expect(await tasks('state, lost, reason')).toEqual([['queued', '0', 'its worker was ended']]);
      // The turn may have been stopped before it asked again.
      model.unscript();
      model.script(say(words('Second.'), call('c2', 'bash', { command: 'cat made.txt' })), say(words('Done.')));
      work(ben, 'web', '--for', 'anna');
      const answered = await asking.ended;
      expect(answered).toMatchObject({ code: 0, stdout: 'Done.\n' });
      expect(answered.stderr).toMatch(
        /has left this unfinished: its worker was ended\. Go on from here\. The files are as they were left/,
      );
      // The patch has what both have done.
      expect(await anna.print('output', '@')).toContain('+first');
    });
  });

  test('that is told to end by the system gives back what it runs at once, and another goes on from there', async () => {
    await withFleet(server, async ({ people: { anna, ben, mallory }, model, work, tasks }) => {
      const first = work(ben, 'web', '--for', 'anna');
      model.script(say(words('First.'), call('c1', 'bash', { command: 'true' })), breaking('hang', words('I was')));
      const asking = startProgram(anna, ['ask', 'go', '--on', 'team', '--project', 'web']);
      await model.hanging();
      first.child.kill('SIGTERM');
      expect(await first.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('"state":"queued"') });
      expect(await tasks('state, lost, reason')).toEqual([['queued', '0', 'its worker was ended']]);
      model.script(say(words('Done.')));
      work(mallory, 'web', '--for', 'anna,ben');
      const answered = await asking.ended;
      expect(answered).toMatchObject({ code: 0, stdout: 'Done.\n' });
      expect(answered.stderr).toMatch(/First\.[\s\S]*I was[\s\S]*unfinished: its worker was ended\. Go on from here/);
    });
  });

  test('that is killed is followed by another at most twice, and the tree tells it', async () => {
    await withFleet(server, async ({ people: { anna, ben, mallory }, model, work }) => {
      const asking = startProgram(anna, ['ask', 'go', '--on', 'team', '--project', 'web', '--json']);
      for (const [count, person] of [ben, mallory, ben].entries()) {
        model.script(
          say(words(`Step ${count}.`), call('c1', 'bash', { command: 'true' })),
          breaking('hang', words('…')),
        );
        const worker = work(person, 'web', '--for', 'anna,ben,mallory');
        await until(async () => (await asOwner(server, sentStep(count))).length === 1);
        worker.child.kill('SIGKILL');
        await killHub(person.home);
        await worker.ended;
        await asOwner(server, LAPSE);
      }
      work(mallory, 'web', '--for', 'anna');
      const { stdout, stderr } = await asking.ended;
      expect(endOf(stdout)).toMatchObject({ state: 'failed', reason: 'three workers went away while they ran it' });
      expect(stderr).toMatch(/Step 0[\s\S]*left this unfinished[\s\S]*Step 1[\s\S]*left this unfinished[\s\S]*Step 2/);
      expect(model.requests).toHaveLength(6);
    });
  });

  test('whose task was given to another stops at once', async () => {
    await withFleet(server, async ({ people: { anna, ben }, model, work, tasks }) => {
      const worker = work(ben, 'web', '--for', 'anna');
      model.script(breaking('hang', words('slow')));
      await anna.run(['ask', 'go', '--on', 'team', '--project', 'web', '--detach']);
      await model.hanging();
      await asOwner(server, "UPDATE cognition.tasks SET digest = 'of another'");
      await worker.printed('"state":null');
      expect(await tasks('state, digest')).toEqual([['running', 'of another']]);
      const turns = await ben.json('agents').catch(() => []);
      expect(JSON.stringify(turns)).toContain('"running":[]');
    });
  });

  test('is one of two that share twenty tasks: each is run once', async () => {
    await withFleet(server, async ({ people: { anna, ben, mallory }, model, work, tasks }) => {
      const ask = () => anna.run(['spawn', '--task', 'hello', '--on', 'team', '--project', 'web', '--detach']);
      for (let count = 0; count < 20; count++) expect((await ask()).code).toBe(0);
      for (const person of [ben, mallory]) work(person, 'web', '--for', 'anna', '--at-once', '3');
      await until(async () => (await tasks('state')).every(([state]) => state === 'done'));
      expect(model.requests).toHaveLength(20);
      expect(new Set((await tasks('worker_login')).flat())).toEqual(new Set(['ben', 'mallory']));
      const answers = await asOwner(
        server,
        `SELECT count(*) FROM cognition.entries WHERE body LIKE '%"role":"assistant"%' AND tree IN (SELECT tree FROM cognition.tasks) GROUP BY tree`,
      );
      expect(answers.flat()).toEqual(Array.from({ length: 20 }, () => '1'));
    });
  });
});
