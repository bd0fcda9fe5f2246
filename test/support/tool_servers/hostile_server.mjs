// A tool server that keeps no promise but one of the protocol: the first word says which it breaks.
import { createInterface } from 'node:readline';

const [, , mode] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const schema = { type: 'object', properties: {} };

const TOOLS = {
  many: () => Array.from({ length: 10_000 }, (_, index) => ({ name: `tool${index}`, inputSchema: schema })),
  odd: () => [
    { name: '\u001b[2Jgone', inputSchema: schema },
    { name: 'x'.repeat(5_000), inputSchema: schema },
    { name: 7, inputSchema: schema },
    'no tool',
    { name: 'fine', description: '\u001b]0;title\u0007\u202eafter', inputSchema: 'no schema' },
    {
      name: 'deep',
      description: 7,
      inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' }, __proto__: 1 }, required: 'a' },
    },
  ],
  big: () =>
    Array.from({ length: 100 }, (_, index) => ({
      name: `tool${index}`,
      inputSchema: { ...schema, title: 'x'.repeat(90_000) },
    })),
  usual: () => [{ name: 'go', description: 'goes', inputSchema: schema }],
};

function flood() {
  while (process.stdout.write('x'.repeat(65_536)));
  process.stdout.once('drain', flood);
}

/** Asks for answers that it does not read. */
function pings() {
  process.stdin.pause();
  while (process.stdout.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n'.repeat(1_000)));
  process.stdout.once('drain', pings);
}

/** Lines that are nothing which the protocol knows. */
const BROKEN = [
  ...['{}', '{"id":1}', '{"jsonrpc":"2.0","id":{},"result":7}', '{"jsonrpc":"2.0","id":99,"result":{}}'],
  ...['{"jsonrpc":"2.0","method":7}', '{"jsonrpc":"2.0","method":"notifications/progress","params":null}'],
  ...['{"jsonrpc":"2.0","id":null,"error":null}', '{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage"}', '{"a'],
];

const answers = {
  initialize: ({ id, params }) => {
    if (mode === 'silent') return;
    if (mode === 'ends') process.exit(3);
    process.stdout.write('a line that is no message\n');
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'h', version: '1' },
      },
    });
  },
  'tools/list': ({ id }) => {
    const tools = (TOOLS[mode] ?? TOOLS.usual)();
    send({ id, result: { tools, ...(mode === 'endless' ? { nextCursor: 'again' } : {}) } });
  },
  'tools/call': ({ id }) => {
    const nested = '['.repeat(100_000) + ']'.repeat(100_000);
    const done = { content: [{ type: 'text', text: 'after all' }] };
    if (mode === 'floods') flood();
    else if (mode === 'pings') pings();
    else if (mode === 'deep')
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"structuredContent":${nested}}}\n`);
    else if (mode === 'broken') {
      process.stdout.write(`${BROKEN.join('\n')}\n`);
      send({ id, result: done });
    } else if (mode === 'dies') process.kill(process.pid, 'SIGKILL');
    else if (mode === 'terminal')
      send({ id, result: { content: [{ type: 'text', text: '\u001b[2Jcleared\u001b]0;t\u0007' }] } });
    else if (mode !== 'hangs') send({ id, result: { content: 'no list', isError: 'perhaps' } });
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (answers[message.method] !== undefined) answers[message.method](message);
  else if (message.id !== undefined) send({ id: message.id, error: { code: -32601, message: 'no such method' } });
});
process.stderr.write('the hostile one has begun\n');
