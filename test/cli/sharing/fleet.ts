import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type TestCli, withCli } from '../../support/cli.js';
import { KEY, type ModelServer, withModelServer } from '../../support/model_server.js';
import { asOwner } from '../../tools/postgres/database.js';
import { startServer, type TestServer } from '../../tools/postgres/server.js';
import { type Started, startProgram } from '../shell.js';

export const LOGIN_PASSWORD = 'canary-of-a-login';
const LOGINS = ['anna', 'ben', 'mallory'] as const;

export interface Fleet {
  server: TestServer;
  /** The homes of people, each with a login of their own at the remote `team`. */
  people: Record<(typeof LOGINS)[number], TestCli>;
  model: ModelServer;
  env: Record<string, string>;
  /** A worker that has a folder of its own to work on, `<home>/../work/<project>`; with these words more. */
  work(person: TestCli, project: string, ...words: string[]): Started;
  /** What the remote has of tasks, the oldest first. */
  tasks(columns: string): Promise<string[][]>;
}

/** A prepared PostgreSQL that people who may write can reach. */
export async function startRemote(): Promise<TestServer> {
  const server = await startServer();
  const logins = LOGINS.map((name) => `CREATE ROLE ${name} LOGIN PASSWORD '${LOGIN_PASSWORD}';`).join(' ');
  await asOwner(server, logins);
  await withCli(async (owner) => {
    await owner.print('remote', 'add', 'team', server.socket);
    await owner.print('remote', 'init');
  });
  await asOwner(server, `GRANT cognition_writer TO ${LOGINS.join(', ')}`);
  return server;
}

/** Runs a test with three people, and a model server that is reached by those who work. */
export async function withFleet(server: TestServer, use: (fleet: Fleet) => Promise<void>): Promise<void> {
  const workers: Started[] = [];
  const open = async (opened: TestCli[]): Promise<void> => {
    const name = LOGINS[opened.length];
    if (name !== undefined) {
      await withCli(async (cli) => {
        await cli.print('remote', 'add', 'team', server.loopback(name, LOGIN_PASSWORD));
        await open([...opened, cli]);
      });
      return;
    }
    const [anna, ben, mallory] = opened;
    if (anna === undefined || ben === undefined || mallory === undefined) throw new Error('there are three');
    await withModelServer(async (model) => {
      const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: model.origin };
      try {
        await use({
          ...{ server, people: { anna, ben, mallory }, model, env },
          work(person, project, ...words) {
            const folder = join(person.folder, project);
            mkdirSync(folder, { recursive: true });
            const line = [
              'worker',
              '--project',
              folder,
              '--level',
              'minimal',
              '--model',
              'sonnet,demo',
              '--json',
              ...words,
            ];
            const started = startProgram(person, line, env);
            workers.push(started);
            return started;
          },
          tasks: (columns) => asOwner(server, `SELECT ${columns} FROM cognition.tasks ORDER BY made_at`),
        });
      } finally {
        for (const { child } of workers) child.kill('SIGKILL');
        await Promise.all(workers.map(({ ended }) => ended));
      }
    });
  };
  await asOwner(server, 'DELETE FROM cognition.tasks; DELETE FROM cognition.workers');
  await open([]);
}

const Ended = z.object({
  task: z.string(),
  tree: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  text: z.string(),
});

/** What `ask --on team --json` prints at its end. */
export function endOf(stdout: string): z.infer<typeof Ended> {
  return Ended.parse(JSON.parse(stdout));
}

/** Asks again until it is so: what is waited for happens in another process. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}
