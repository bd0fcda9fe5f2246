import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { valueOrNull } from './attempt.js';
import { realPath } from './machine.js';

/** With more Unix sockets than that there is no sandbox. */
const SOCKETS_MAX = 10_000;
/** The most paths that are tried for sockets with relative names, whose folders are unknown. */
const PATHS_MAX = 20_000;

/**
 * The visible Unix sockets with a path: connecting to one reaches a process outside, even through a read-only mount. The kernel
 * lists the name that each was bound to: a socket renamed or linked since lies beside that name, and a relative name folders
 * in the folder of some process. When a name does not tell enough, all sockets right in the policy's folders are taken,
 * even if nothing listens on them any more.
 */
export function visibleSockets(paths: readonly string[], isShown: (path: string) => boolean): string[] {
  const { names, isTorn } = socketNames();
  const relative = names.filter((name) => !name.startsWith('/'));
  const workingFolders = relative.length === 0 ? [] : foldersOfProcesses();
  if (relative.length * workingFolders.length > PATHS_MAX)
    throw tooMany(`${relative.length} Unix sockets without a folder`);
  const bound = [
    ...names.filter((name) => name.startsWith('/')),
    ...relative.flatMap((name) => workingFolders.map((folder) => resolve(folder, name))),
  ];
  const candidates = [...bound.flatMap((path) => realPath(path) ?? []), ...paths];
  const boundFolders = [...new Set(bound.map(dirname))].flatMap((folder) => realPath(folder) ?? []);
  const folders = isTorn || relative.length > 0 ? [...boundFolders, ...paths] : boundFolders;
  const neighbours = [...new Set(folders)].filter(isShown).flatMap(socketsRightIn);
  return [...new Set([...candidates, ...neighbours])].filter((path) => isShown(path) && isSocket(path));
}

/** The names that the kernel lists; one with a line end in it is torn. */
function socketNames(): { names: string[]; isTorn: boolean } {
  const [, ...lines] = (valueOrNull(() => readFileSync('/proc/net/unix', 'utf8')) ?? '').trimEnd().split('\n');
  if (lines.length > SOCKETS_MAX) throw tooMany(`more than ${SOCKETS_MAX} Unix sockets`);
  // A name that begins with `@` is abstract: it has no path.
  const names = lines.map((line) => /^[0-9a-f]+: (?:\S+ ){5} *\d+ ([^@].*)$/.exec(line)?.[1] ?? '');
  const isTorn = lines.some((line) => !/^[0-9a-f]+: (?:\S+ ){5} *\d+(?: |$)/.test(line));
  return { names: [...new Set(names)].filter((name) => name !== ''), isTorn };
}

function tooMany(what: string): HubError {
  return new HubError('sandbox_unavailable', `${what} are open on this machine`, {
    hint: 'they cannot all be hidden; end what opens so many',
  });
}

/** The working folders of processes, as far as they can be read: not those of other users. */
function foldersOfProcesses(): string[] {
  const pids = (valueOrNull(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name));
  const folders = pids.flatMap((pid) => valueOrNull(() => readlinkSync(`/proc/${pid}/cwd`)) ?? []);
  return [...new Set(folders)];
}

function isSocket(path: string): boolean {
  return valueOrNull(() => lstatSync(path).isSocket()) ?? false;
}

function socketsRightIn(folder: string): string[] {
  const entries = valueOrNull(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isSocket()).map(({ name }) => join(folder, name));
}
