import { expect, test } from 'vitest';
import { type Fleet, startRemote, until, withFleet } from '../cli/sharing/fleet.js';
import type { Started } from '../cli/shell.js';
import type { TestCli } from '../support/cli.js';
import { killHub } from '../support/hub.js';
import { asOwner } from '../tools/postgres/database.js';
import { POSTGRES_BIN } from '../tools/postgres/server.js';
import { extent, randomFrom, timeFor } from './extent.js';

const { seed, count } = extent(3);
/** What is sent of a task at most before a kill, and how long after that. */
const ENTRIES_MAX = 9;
const DELAY_MS_MAX = 40;

// What becomes of each task is written down by the database itself.
const AUDIT = `
  CREATE TABLE public.audit (task uuid, was text, now text, wait interval);
  CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO public.audit VALUES (new.id, old.state, new.state,
      CASE WHEN old.digest IS DISTINCT FROM new.digest AND old.state = 'running' AND new.state = 'running' THEN old.leased_until - clock_timestamp() END);
    RETURN new; END $$;
  CREATE TRIGGER note AFTER UPDATE ON cognition.tasks FOR EACH ROW EXECUTE FUNCTION public.note()`;
const OPEN = "SELECT 1 FROM cognition.tasks WHERE state IN ('queued', 'running')";

test.skipIf(POSTGRES_BIN === null)(
  `a task ends once and its tree tells who began it, whatever is killed of its workers (seed ${seed}, ${count} kills)`,
  { timeout: timeFor(240_000) },
  async () => {
    const server = await startRemote();
    try {
      await asOwner(server, AUDIT);
      await withFleet(server, (fleet) => killWorkers(fleet, randomFrom(seed)));
    } finally {
      await server.stop();
    }
  },
);

async function killWorkers(fleet: Fleet, random: () => number): Promise<void> {
  const { server, people } = fleet;
  const { anna, ben, mallory } = people;
  const begin = (person: TestCli): Started => fleet.work(person, 'web', '--for', '*', '--at-once', '2');
  const working: Working[] = [
    { login: 'ben', person: ben, started: begin(ben) },
    { login: 'mallory', person: mallory, started: begin(mallory) },
  ];
  for (let kill = 0; kill < count; kill++) {
    for (let task = 0; task < 2; task++) {
      const spawned = await anna.run([
        'spawn',
        '--task',
        'write a program',
        '--on',
        'team',
        '--project',
        'web',
        '--model',
        'demo',
        '--detach',
      ]);
      expect(spawned.code, spawned.stderr).toBe(0);
    }
    const before = await sent(fleet);
    const wanted = before + Math.floor(random() * ENTRIES_MAX);
    await until(async () => (await sent(fleet)) >= wanted || (await asOwner(server, OPEN)).length === 0);
    const killAtMs = performance.now() + random() * DELAY_MS_MAX;
    while (performance.now() < killAtMs);
    const victim = working[Math.floor(random() * working.length)];
    if (victim === undefined) throw new Error('there are two');
    await killSome(fleet, victim, random);
    if (victim.started.child.exitCode !== null || victim.started.child.killed) victim.started = begin(victim.person);
  }
  await until(async () => {
    for (const one of working) if (one.started.child.exitCode !== null) one.started = begin(one.person);
    return (await asOwner(server, OPEN)).length === 0;
  });
  await expectOnce(fleet);
}

interface Working {
  login: string;
  person: TestCli;
  started: Started;
}

/** Its program, its hub, or the whole machine: then its leases run out. */
async function killSome({ server }: Fleet, { login, person, started }: Working, random: () => number): Promise<void> {
  const what = Math.floor(random() * 3);
  if (what !== 1) started.child.kill('SIGKILL');
  if (what !== 0) await killHub(person.home);
  if (what !== 2) return;
  await started.ended;
  await asOwner(
    server,
    `UPDATE cognition.tasks SET leased_until = now() - interval '1 s' WHERE state = 'running' AND worker_login = '${login}'`,
  );
}

async function sent({ server }: Fleet): Promise<number> {
  return Number((await asOwner(server, 'SELECT count(*) FROM cognition.entries')).flat()[0]);
}

async function expectOnce({ server, people: { anna, ben, mallory } }: Fleet): Promise<void> {
  // Each has ended, once; nobody took one whose lease ran.
  const ends = await asOwner(
    server,
    "SELECT count(*) FROM audit WHERE now IN ('done', 'failed', 'stopped') AND was <> now GROUP BY task",
  );
  expect(ends.flat().filter((times) => times !== '1')).toEqual([]);
  expect(
    await asOwner(
      server,
      "SELECT * FROM audit WHERE wait > interval '0' OR was IN ('done', 'failed', 'stopped') AND now <> was",
    ),
  ).toEqual([]);
  const tasks = await asOwner(server, 'SELECT state, reason, lost, coalesce(tip, node), tree FROM cognition.tasks');
  expect(tasks).toHaveLength(2 * count);
  expect(ends).toHaveLength(tasks.length);
  await anna.print('sync');
  for (const [state, reason, lost, tip = '', tree = ''] of tasks) {
    if (state === 'failed') expect(reason).toBe('three workers went away while they ran it');
    else expect({ state, reason }).toEqual({ state: 'done', reason: null });
    const said = await anna.print('context', tree, tip);
    // The demo model answers what is said last: of a task that was taken up, the word about the worker before.
    if (state === 'done')
      expect(said).toMatch(lost === '0' ? /hello-demo\.sh is written/ : /has left this unfinished[\s\S]*Assistant/);
  }
  for (const person of [anna, ben, mallory]) await person.print('fsck');
}
