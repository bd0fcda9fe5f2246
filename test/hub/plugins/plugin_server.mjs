// A process that serves plugins, as that of the tools does: `http.fetch` does what the host of its address says, and
// `bash.follow` sends as much as its caller has room for.
import { createInterface } from 'node:readline';

const { connect } = await import(new URL('../../../dist/client.js', import.meta.url));
const [first] = await new Promise((resolve) =>
  createInterface({ input: process.stdin }).once('line', (...line) => resolve(line)),
);
process.stdin.on('close', () => process.exit(0));
process.stdin.resume();
const { home, secret } = JSON.parse(first);
const client = await connect({ home, start: false });
const answer = (id, result) => client.call('plugins.answer', { id, outcome: { kind: 'result', result } });
const running = new Map();
let tellFull;
const full = new Promise((resolve) => {
  tellFull = resolve;
});

const ACTIONS = {
  pid: ({ id }) => answer(id, { pid: process.pid }),
  die: () => process.exit(3),
  full: ({ id }) => full.then((told) => answer(id, told)),
  hang: ({ id }) => running.set(id, () => answer(id, { cancelled: true })),
  fail: ({ id }) =>
    client.call('plugins.answer', {
      id,
      outcome: {
        kind: 'failure',
        failure: {
          message: 'no such page',
          data: { kind: 'network', hint: 'look again', retryable: true, details: {} },
        },
      },
    }),
};

const PIECE = 'x'.repeat(100_000);

/** Sends until there is no room; answers when there is again. */
async function flood({ id }) {
  const roomAgain = new Promise((resolve) => running.set(`room ${id}`, resolve));
  let bytes = 0;
  for (let room = true; room; bytes += PIECE.length) {
    room = (await client.call('plugins.emit', { id, event: { kind: 'output', offset: bytes, data: PIECE } })).room;
  }
  tellFull({ bytes });
  await roomAgain;
  await answer(id, { total_bytes: bytes });
}

await client.stream(
  'plugins.serve',
  { secret, plugins: [{ name: 'http', version: '1', methods: ['http.fetch'], resolves: true }] },
  {
    onEvent(request) {
      if (request.kind === 'cancel') running.get(request.id)?.();
      else if (request.kind === 'room') running.get(`room ${request.id}`)?.();
      else if (request.kind === 'resolve') void answer(request.id, { text: request.plugin });
      else if (request.method === 'bash.follow') void flood(request);
      else void ACTIONS[new URL(request.params.url).hostname](request);
    },
  },
);
