import { randomUUID } from 'node:crypto';
import { NodeId, type TreeId } from '../../hub/protocol/node.js';
import { connectTo, withHome } from '../support/hub.js';
import { streaming, withRawServer } from '../support/model/raw_server.js';
import { KEY } from '../support/model_server.js';
import type { Row } from './row.js';
import { newTree } from './trees.js';

/** Rounds before the measurement, so that the hub's code is compiled. */
const WARM_UP = 200;

/** The pace and the length of an answer. */
export interface Pace {
  everyMs: number;
  deltas: number;
}

/** With the limit of the 99th percentile: at full speed, one frame of a screen. */
type LimitedPace = Pace & { most: number };
const PACES: LimitedPace[] = [
  { everyMs: 20, deltas: 600, most: 5 },
  { everyMs: 5, deltas: 1_600, most: 20 },
];

export async function deltaRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const pace of PACES) rows.push(await deltaRow(pace));
  return rows;
}

/** The time from a model server's write of a delta to its arrival at a client. */
async function deltaRow(pace: LimitedPace): Promise<Row> {
  const sentAtMs: number[] = [];
  const tookMs: number[] = [];
  let text = '';
  await withRawServer(
    (response) => writeDeltas(streaming(response), sentAtMs, { ...pace, textOf: (number) => `${number} ` }),
    (origin) =>
      withHome(async (home) => {
        const client = await connectTo(home);
        const tree = await newTree(client);
        const node = await sayHello(client, tree);
        await client.stream(
          'agent.run',
          {
            ...{ tree, node, cwd: home, change: { model: 'anthropic/claude-sonnet-5' } },
            access: { anthropic: { base_url: origin, key: KEY } },
          },
          {
            onEvent(event) {
              if (event.kind !== 'text_added') return;
              const now = performance.now();
              text += event.text;
              // Each delta is a number and a blank; several may arrive together.
              const words = text.split(' ');
              text = words.pop() ?? '';
              for (const word of words) tookMs.push(now - (sentAtMs[Number(word)] ?? Number.NaN));
            },
          },
        );
        await client.close();
      }),
  );
  const sorted = tookMs.slice(WARM_UP).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const from = `median ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms, ${sorted.length} deltas`;
  const what = `delta in → a watching client, ${1_000 / pace.everyMs}/s, p99`;
  return { what, value: at(0.99), unit: 'ms', budget: { most: pace.most }, from };
}

async function sayHello(client: Awaited<ReturnType<typeof connectTo>>, tree: TreeId): Promise<NodeId> {
  const blocks = [{ type: 'text' as const, text: 'hello' }];
  const id = NodeId.parse(randomUUID());
  const parent = NodeId.parse(tree);
  return (await client.call('loom.node_create_text', { id, tree, parent, role: 'user', blocks })).node.id;
}

/** A model server whose deltas are numbered. */
export function writeDeltas(
  response: ReturnType<typeof streaming>,
  sentAtMs: number[],
  { deltas, everyMs, textOf }: Pace & { textOf: (number: number) => string },
): void {
  const write = (event: { type: string } & Record<string, unknown>): void => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  write({ type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } });
  write({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  const timer = setInterval(() => {
    if (sentAtMs.length < deltas) {
      sentAtMs.push(performance.now());
      write({
        ...{ type: 'content_block_delta', index: 0 },
        delta: { type: 'text_delta', text: textOf(sentAtMs.length - 1) },
      });
      return;
    }
    clearInterval(timer);
    write({ type: 'content_block_stop', index: 0 });
    write({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: deltas } });
    write({ type: 'message_stop' });
    response.end();
  }, everyMs);
}
