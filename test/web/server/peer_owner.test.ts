import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { isOwnPeer, ownerOf } from '../../../cli/web/peer_owner.js';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 2 1 0 20 4 30 10 -1
   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0 20 4 30 10 -1
   3: 0000000000000000FFFF00000100007F:C351 0000000000000000FFFF00000100007F:1F90 01 0:0 00:0 0  1002        0 4 1 0 20 4 30 10 -1
`;

test('the owner is that of the other end, not of ours', () => {
  expect(ownerOf(TABLE, { from: 0xc350, to: 0x1f90 })).toBe(1_001);
  expect(ownerOf(TABLE, { from: 0xc351, to: 0x1f90 })).toBe(1_002);
  expect(ownerOf(TABLE, { from: 0xc352, to: 0x1f90 })).toBeNull();
});

test.runIf(process.platform === 'linux')(
  'a connection of this process is its own, and another user’s is not',
  async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const client = connect(port, '127.0.0.1');
    const [socket] = (await once(server, 'connection')) as [Socket];
    expect(isOwnPeer(socket)).toBe(true);
    const uid = process.getuid?.() ?? 0;
    // Root is let in by everybody.
    expect(isOwnPeer(socket, uid + 1)).toBe(uid === 0);
    client.destroy();
    server.close();
  },
);

test('a socket that is closed already belongs to nobody', () => {
  expect(isOwnPeer({ localPort: 1, remotePort: 2 }, 1_000)).toBe(false);
});
