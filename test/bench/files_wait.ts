import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../../hub/client/client.js';
import { NodeId, TreeId } from '../../hub/protocol/node.js';
import { connectTo, withHome } from '../support/hub.js';
import { say } from '../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../support/model_server.js';
import { makeProject } from './files.js';
import { median, type Row } from './row.js';

const ROUNDS = 15;
const WARM_UP_ROUNDS = 3;
const FILES = 20_000;
/** After which a quick model begins to answer. */
const ANSWER_MS = 400;

/** What a turn that writes takes longer where the files of its project are recorded, which is done while the model is asked. */
export function filesWaitRows(): Promise<Row[]> {
  return withModelServer((server) =>
    withSlowAnswers(server, (origin) =>
      withHome(async (home) => {
        const { top: project } = makeProject(join(dirname(home), 'project'), FILES);
        const client = await connectTo(home);
        const tookMs: Record<'true' | 'false', number[]> = { true: [], false: [] };
        for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round += 1) {
          for (const isRecorded of ['true', 'false'] as const) {
            writeFileSync(join(home, 'config'), `files.record = ${isRecorded}\n`);
            const call = { tool: 'write', input: JSON.stringify({ path: 'd0/e0/new', content: randomUUID() }) };
            server.script(say({ kind: 'call', id: 'c1', ...call }), say({ kind: 'text', text: 'Done.' }));
            const startedAt = performance.now();
            await turn(client, { project, origin });
            if (round >= WARM_UP_ROUNDS) tookMs[isRecorded].push(performance.now() - startedAt);
          }
        }
        await client.close();
        const [recorded, not] = [median(tookMs.true), median(tookMs.false)];
        const what = `what a turn waits for its files, ${FILES.toLocaleString('en')} of them`;
        const from = `a turn takes ${recorded.toFixed(0)} ms, without ${not.toFixed(0)}`;
        return [{ what, value: recorded - not, unit: 'ms', budget: { most: 10 }, from }];
      }),
    ),
  );
}

async function turn(client: Client, { project, origin }: { project: string; origin: string }): Promise<void> {
  const tree = TreeId.parse(randomUUID());
  await client.call('loom.tree_create', { id: tree, project });
  const blocks = [{ type: 'text' as const, text: 'go' }];
  const { node } = await client.call('loom.node_create_text', {
    tree,
    parent: NodeId.parse(tree),
    role: 'user',
    blocks,
  });
  const { state } = await client.call('agent.run', {
    ...{ tree, node: node.id, cwd: project, change: { model: 'anthropic/claude-sonnet-5' } },
    access: { anthropic: { base_url: origin, key: KEY } },
  });
  if (state !== 'done') throw new Error(`the turn is ${state}`);
}

/** Passes requests on to a model server when a model would have thought. */
async function withSlowAnswers<T>(model: ModelServer, use: (origin: string) => Promise<T>): Promise<T> {
  const passOn = async (received: IncomingMessage, response: ServerResponse): Promise<void> => {
    await wait(ANSWER_MS);
    const { url, method, headers } = received;
    const passed = request(`${model.origin}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    received.pipe(passed);
  };
  const server = createServer(passOn);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
