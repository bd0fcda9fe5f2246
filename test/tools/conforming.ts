import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import pg from 'pg';
import type { Client } from '../../hub/client/client.js';
import { homePaths } from '../../hub/config/config.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import { NodeId, TreeId } from '../../hub/protocol/node.js';
import { connectTo, killHub, withHome } from '../support/hub.js';
import { POSTGRES_BIN, type TestServer } from './postgres/server.js';

/** The position of a call, as its parameters. */
export interface Called {
  id?: NodeId;
  place: { tree: TreeId; node: NodeId } | null;
  append: boolean;
}

/** The parts of a plugin that the suite over all plugins needs. */
export interface Subject {
  plugin: string;
  /** Makes a call that works, on a folder or server of the world. */
  call(world: World, called: Called, signal?: AbortSignal): Promise<ToolAnswer>;
  /** The bytes that this call stores. */
  stores: string;
  /** Changes the source of the call, so that a fresh look differs; null for a plugin without fresh looks. */
  change: ((world: World) => void | Promise<void>) | null;
  /** A call that cannot work. */
  callWrong(world: World, called: Called): Promise<unknown>;
}

/** A home with a tree, and sources for the plugins. */
export interface World {
  client: Client;
  folder: string;
  tree: TreeId;
  root: NodeId;
  /** The text of the page. */
  page: { text: string; address: string };
  /** The address of PostgreSQL; null where it is not installed. */
  database: TestServer | null;
  /** The same world after the hub and its tools were killed and started again. */
  restart(): Promise<World>;
}

const policy = { kind: 'open' } as const;

async function openSession(world: World): Promise<string> {
  const environment = { PATH: process.env.PATH ?? '' };
  return (await world.client.call('bash.open', { cwd: world.folder, environment, policy })).session;
}

const bash: Subject = {
  plugin: 'bash',
  stores: 'one\ntwo\n',
  change: null,
  async call(world, called, signal) {
    const session = await openSession(world);
    const command = "printf 'one\\ntwo\\n'";
    return world.client.call('bash.execute', { ...called, session, command }, { signal });
  },
  callWrong: async (world, called) =>
    world.client.call('bash.execute', {
      ...called,
      session: await openSession(world),
      command: 'true',
      cwd: '/nowhere',
    }),
};

const file: Subject = {
  plugin: 'file',
  stores: 'alpha\nβeta\n',
  change: ({ folder }) => writeFileSync(join(folder, 'letters.txt'), 'alpha\ngamma\ndelta\n'),
  call: ({ client, folder }, called, signal) =>
    client.call('file.read', { ...called, path: join(folder, 'letters.txt'), limit: null, policy }, { signal }),
  callWrong: ({ client, folder }, called) =>
    client.call('file.read', { ...called, path: join(folder, 'missing.txt'), policy }),
};

const http: Subject = {
  plugin: 'http',
  stores: 'a page',
  change({ page }) {
    page.text = 'another page';
  },
  call: ({ client, page }, called, signal) =>
    client.call('http.fetch', { ...called, url: page.address, policy }, { signal }),
  callWrong: ({ client }, called) => client.call('http.fetch', { ...called, url: 'http://127.0.0.1:9/', policy }),
};

const sql = 'SELECT name FROM fruits ORDER BY name';
const postgres: Subject = {
  plugin: 'postgres',
  stores: '{"name":"apple"}\n{"name":"pear"}\n',
  change: ({ database }) => asOwner(database, "INSERT INTO fruits VALUES ('quince')"),
  call: ({ client }, called, signal) =>
    client.call('postgres.query', { ...called, connection: 'shop', sql, policy }, { signal }),
  callWrong: ({ client }, called) =>
    client.call('postgres.query', { ...called, connection: 'shop', sql: 'SELECT nothing', policy }),
};

export const SUBJECTS: readonly Subject[] = POSTGRES_BIN === null ? [bash, file, http] : [bash, file, http, postgres];

async function asOwner(database: TestServer | null, statements: string): Promise<void> {
  if (database === null) return;
  const owner = new pg.Client(database.socket);
  await owner.connect();
  await owner.query(statements);
  await owner.end();
}

/** Runs a test in a new world. */
export function withWorld<T>(database: TestServer | null, use: (world: World) => Promise<T>): Promise<T> {
  return withHome(async (home) => {
    const folder = join(dirname(home), 'work');
    for (const path of [home, folder]) mkdirSync(path, { mode: 0o700 });
    writeFileSync(join(folder, 'letters.txt'), file.stores);
    const page = { text: http.stores, address: '' };
    const pages = createServer((_request, response) => response.setHeader('content-type', 'text/plain').end(page.text));
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const { port } = pages.address() as AddressInfo; // a TCP server's
    page.address = `http://127.0.0.1:${port}/`;
    await asOwner(database, "DROP TABLE IF EXISTS fruits; CREATE TABLE fruits AS VALUES ('pear'), ('apple')");
    await asOwner(database, 'ALTER TABLE fruits RENAME column1 TO name');
    writeFileSync(
      homePaths(home).config,
      `http.allow = 127.0.0.1:${port}, 127.0.0.1:9\n${database === null ? '' : `postgres.shop = ${database.socket}\n`}`,
      { mode: 0o600 },
    );
    const open: Client[] = [];
    const connect = async (): Promise<Client> => {
      const client = await connectTo(home);
      open.push(client);
      return client;
    };
    const tree = TreeId.parse(randomUUID());
    const worldOf = (client: Client): World => ({
      ...{ client, folder, tree, root: NodeId.parse(tree), page, database },
      async restart() {
        await killHub(home);
        return worldOf(await connect());
      },
    });
    try {
      const world = worldOf(await connect());
      await world.client.call('loom.tree_create', { id: tree });
      return await use(world);
    } finally {
      for (const client of open) await client.close();
      pages.close();
    }
  });
}
