// One hostile or hungry program. Usage: node load.mjs <load> <socket> <tree> <folder>; it runs until stdin ends.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { call, frame, openRaw } from '../raw_socket.mjs';

const MIB = 1024 * 1024;
const [name, path, tree, folder] = process.argv.slice(2);
process.stdin.on('end', () => process.exit(0)).resume();

const many = (count, make) => Promise.all(Array.from({ length: count }, (_, index) => make(index)));

/** A connection that reads all and keeps so many calls in flight. */
async function asking(makeCall, inFlight) {
  const socket = await openRaw(path);
  let id = 0;
  let answered = 0;
  let sent = 0;
  // Answers are counted by a mark that only they have: ids are numbers here.
  const mark = Buffer.from('{"jsonrpc":"2.0","id":');
  let tail = Buffer.alloc(0);
  const more = () => {
    const frames = [];
    for (; sent - answered < inFlight; sent += 1) frames.push(makeCall(++id));
    if (frames.length > 0) socket.write(Buffer.concat(frames));
  };
  socket.on('data', (bytes) => {
    const text = Buffer.concat([tail, bytes]);
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) answered += 1;
    tail = text.subarray(-mark.length + 1);
    more();
  });
  more();
  return socket;
}

const append = (text) => (id) =>
  call(
    'loom.node_create_text',
    { id: randomUUID(), tree, parent: tree, role: 'user', blocks: [{ type: 'text', text }] },
    id,
  );
const skeleton = (id) => call('loom.tree_get_skeleton', { tree, limit: 10_000 }, id);

const LOADS = {
  // The machine's share, as a control: it does not know the hub.
  async busy() {
    setImmediate(function spin() {
      for (const end = Date.now() + 20; Date.now() < end; );
      setImmediate(spin);
    });
  },
  async notifications() {
    const socket = await openRaw(path);
    const flood = Buffer.concat(Array.from({ length: 24_000 }, () => call('health.check', {})));
    const again = () => socket.write(flood, again);
    again();
  },
  discover: () => many(4, () => asking((id) => call('rpc.discover', {}, id), 16)),
  batches: () =>
    many(4, () => {
      const one = { jsonrpc: '2.0', id: 1, method: 'loom.node_get', params: { node: tree } };
      return asking((id) => frame(JSON.stringify(Array.from({ length: 100 }, () => ({ ...one, id })))), 16);
    }),
  skeletons: () => many(20, () => asking(skeleton, 8)),
  async unread() {
    await many(60, async () => {
      const socket = await openRaw(path);
      socket.pause();
      socket.write(Buffer.concat(Array.from({ length: 64 }, (_, id) => skeleton(id))));
    });
  },
  async watchers() {
    await many(60, async () => {
      const socket = await openRaw(path);
      socket.pause();
      socket.write(call('loom.watch', { tree: null, since: 0, epoch: null, stream: 's' }, 1));
    });
  },
  async unfinished() {
    const start = frame(Buffer.alloc(31 * MIB, 0x20), { length: 32 * MIB });
    await many(24, async () => (await openRaw(path)).write(start));
  },
  async dribble() {
    await many(24, async () => {
      const socket = await openRaw(path);
      socket.setNoDelay(true);
      socket.write(frame('{', { fin: false }));
      const piece = frame(' ', { opcode: 0, fin: false });
      setInterval(() => {
        for (let index = 0; index < 50; index += 1) socket.write(piece);
      }, 1);
    });
  },
  async pings() {
    await many(4, async () => {
      const socket = await openRaw(path);
      socket.resume();
      const flood = Buffer.concat(Array.from({ length: 10_000 }, () => frame('x', { opcode: 9 })));
      const again = () => socket.write(flood, again);
      again();
    });
  },
  // Whole and refused: what costs is that they are read.
  large: () => many(4, () => asking((id) => call('health.check', { text: 'x'.repeat(31 * MIB) }, id), 1)),
  // As large as a node may be.
  nodes: () => many(4, () => asking(append('x'.repeat(7 * MIB)), 4)),
  appends: () => asking(append('one of many'), 10_000),
  searches: () =>
    many(8, (index) =>
      asking((id) => call(index === 0 ? 'loom.fsck' : 'loom.search', index === 0 ? {} : { query: 'message' }, id), 4),
    ),
  exports: () => many(8, () => asking((id) => call('loom.tree_export', { tree }, id), 4)),
  files: () => asking((id) => call('file.read', { path: `${folder}/read.txt`, policy: { kind: 'open' } }, id), 1_000),
  async connects() {
    for (;;) {
      await many(50, async () => {
        const socket = connect(path);
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        socket.write('GET / HTTP/1.1\r\n');
        setTimeout(() => socket.destroy(), 200);
      }).catch(() => undefined);
    }
  },
};

const load = LOADS[name]?.();
process.stderr.write('begun\n');
await load;
