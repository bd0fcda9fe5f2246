// A WebSocket by hand, for what no library would send: frames that are wrong, unfinished or too many.
import { once } from 'node:events';
import { connect } from 'node:net';

const HANDSHAKE = [
  'GET / HTTP/1.1',
  'host: localhost',
  'upgrade: websocket',
  'connection: Upgrade',
  'sec-websocket-version: 13',
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
  '\r\n',
].join('\r\n');

/** Opens a connection to a hub's Unix socket and upgrades it; what the hub sends is not parsed. */
export async function openRaw(path) {
  const socket = connect(path);
  socket.on('error', () => undefined); // being dropped is what some callers are for
  await once(socket, 'connect');
  socket.write(HANDSHAKE);
  let head = '';
  while (!head.includes('\r\n\r\n')) head += String((await once(socket, 'data'))[0]);
  if (!head.startsWith('HTTP/1.1 101')) throw new Error(head.split('\r\n', 1)[0]);
  return socket;
}

/** One frame of a client. Its mask is zero, so that the bytes are those that were given. */
export function frame(payload, { opcode = 1, fin = true, length = null, masked = true } = {}) {
  const bytes = Buffer.from(payload);
  return Buffer.concat([header(opcode, fin, { length: length ?? bytes.length, masked }), bytes]);
}

function header(opcode, fin, { length, masked }) {
  const start = [(fin ? 0x80 : 0) | opcode];
  const mask = masked ? 0x80 : 0;
  if (length < 126) start.push(mask | length);
  else if (length < 65_536) start.push(mask | 126, length >> 8, length & 255);
  else {
    const size = Buffer.alloc(8);
    size.writeBigUInt64BE(BigInt(length));
    start.push(mask | 127, ...size);
  }
  return Buffer.concat([Buffer.from(start), Buffer.alloc(masked ? 4 : 0)]);
}

/** A call as a frame; without an id it is a notification. */
export function call(method, params, id) {
  return frame(JSON.stringify({ jsonrpc: '2.0', method, params, ...(id === undefined ? {} : { id }) }));
}
