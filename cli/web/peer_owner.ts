import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** An address is written backwards, byte by byte; one of IPv4 may stand at the end of one of IPv6. */
const LOOPBACK = '0100007F';
/** Root reads the memory of every process and needs no socket for it. Some systems pass on connections as root. */
const ROOT = 0;

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

/** Whether the other end of a connection belongs to the same user; true where the system does not tell. */
export function isOwnPeer(socket: Pick<Socket, 'remotePort' | 'localPort'>, uid = process.getuid?.()): boolean {
  const { remotePort, localPort } = socket;
  if (remotePort === undefined || localPort === undefined) return false;
  const tables = TABLES.flatMap((path) => readIfThere(path) ?? []);
  if (tables.length === 0 || uid === undefined) return true;
  const owner = ownerOf(tables.join('\n'), { from: remotePort, to: localPort });
  return owner === uid || owner === ROOT;
}

/** The user of the socket that connects these two ports of the loopback address; null when there is none. */
export function ownerOf(table: string, { from, to }: { from: number; to: number }): number | null {
  const [local, remote] = [`${LOOPBACK}:${hexOf(from)}`, `${LOOPBACK}:${hexOf(to)}`];
  for (const line of table.split('\n')) {
    const [, here = '', there = '', , , , , uid = ''] = line.trim().split(/\s+/);
    if (here.endsWith(local) && there.endsWith(remote)) return Number(uid);
  }
  return null;
}

function hexOf(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null; // the system has no such table
  }
}
