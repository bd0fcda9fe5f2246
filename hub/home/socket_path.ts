import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HubError } from '../base/error.js';
import { environment, type HomePaths, temporaryFolder } from '../config/config.js';
import { homeError, isPrivate } from './home_folder.js';

// The system's limit, without the final zero byte. Node cuts a longer path silently and binds somewhere else.
const SOCKET_PATH_BYTES_MAX = process.platform === 'darwin' ? 103 : 107;

/** The path a hub of this home listens on, as far as a caller can know; null when no hub has written its address yet. */
export function knownSocket(paths: HomePaths): string | null {
  if (fits(paths.socket)) return paths.socket;
  if (!existsSync(paths.address)) return null;
  const socket = readFileSync(paths.address, 'utf8').trim();
  if (!existsSync(dirname(socket))) return null;
  // Temporary folders are cleaned up; another user may have recreated this one.
  refuseOpenFolder(dirname(socket));
  return socket;
}

/**
 * Chooses the path to listen on; only the holder of the lock may call it.
 * A home whose own path is too long gets a private folder elsewhere, named in its address file, so that callers
 * find it whatever their environment.
 */
export function claimSocket(paths: HomePaths): string {
  const socket = fits(paths.socket) ? paths.socket : socketElsewhere(paths.home);
  if (existsSync(socket) && !lstatSync(socket).isSocket()) {
    throw new HubError('storage_failed', `${socket} is in the way of the hub's socket`, {
      hint: `move it: mv ${socket} ${socket}.old`,
    });
  }
  if (socket === paths.socket) rmSync(paths.address, { force: true });
  else writeFileSync(paths.address, `${socket}\n`, { mode: 0o600 });
  return socket;
}

function socketElsewhere(home: string): string {
  const name = `${createHash('sha256').update(home).digest('hex').slice(0, 32)}.sock`;
  const runtime = environment('XDG_RUNTIME_DIR');
  const user = process.getuid?.() ?? 0;
  const folders = [
    ...(runtime === undefined ? [] : [join(runtime, 'cognition')]),
    join(temporaryFolder(), `cognition-${user}`),
  ];
  for (const folder of folders) {
    const socket = join(folder, name);
    if (!fits(socket) || !existsSync(dirname(folder))) continue;
    makePrivate(folder);
    return socket;
  }
  throw new HubError('storage_failed', `no folder has a short enough path for the socket of ${home}`, {
    hint: `set TMPDIR to a folder whose path has at most ${SOCKET_PATH_BYTES_MAX - 60} bytes`,
  });
}

// In a temporary folder another user may have put anything there, such as a link.
function makePrivate(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
    if (!isThere) throw homeError(folder, error);
  }
  refuseOpenFolder(folder);
}

function refuseOpenFolder(folder: string): void {
  if (isPrivate(lstatSync(folder))) return;
  throw new HubError('unauthorised', `${folder} belongs to somebody else or is open to them`, {
    hint: `remove it, or close it if it is yours: chmod 700 ${folder}`,
  });
}

/** The temporary name of a socket until its permissions are set. */
export function unboundName(socket: string): string {
  return `${socket}.new`;
}

function fits(path: string): boolean {
  return Buffer.byteLength(unboundName(path)) <= SOCKET_PATH_BYTES_MAX;
}

export interface ListenAddress {
  host: string;
  port: number;
}

/** Reads `host:port` for `--listen`: loopback addresses only, because a connected client has all the rights of the owner. */
export function parseListen(text: string): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits ?? Number.NaN);
  if (!(port <= 65_535) || host === '') {
    throw new HubError('invalid_params', `${JSON.stringify(text)} is not an address to listen on`, {
      hint: 'give host:port, such as 127.0.0.1:4040 or [::1]:4040; port 0 takes a free one',
    });
  }
  if (host !== 'localhost' && host !== '::1' && !/^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(host)) {
    throw new HubError('invalid_params', `the hub listens on loopback addresses only, not on ${host}`, {
      hint: 'use 127.0.0.1, and reach it from elsewhere through ssh -L',
    });
  }
  return { host, port };
}

/** Writes an address as `host:port`. */
export function formatListen({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
