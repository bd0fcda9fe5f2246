import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { realPath } from './machine.js';
import { answer } from './try_errno.js';

/** The most Unix sockets that are looked at; a machine with more of them in sight gets no sandbox. */
const SOCKETS_MAX = 10_000;
/** The most places that are tried for sockets whose names began in folders that nobody tells. */
const PLACES_MAX = 20_000;

/**
 * Sockets by path: to connect to one is to reach a process outside, and a read-only mount does not hinder it. The kernel tells
 * the name under which each was made, as it was given: one that was renamed or linked since lies beside that name, and
 * one without a folder in that of a process. When a name does not tell enough, all that lie right in the policy's folders are
 * taken, which may be some that nobody listens on any more.
 */
export function socketsIn(paths: readonly string[], isShown: (path: string) => boolean): string[] {
  const { names: given, isTorn } = socketNames();
  const relative = given.filter((name) => !name.startsWith('/'));
  const begins = relative.length === 0 ? [] : foldersOfProcesses();
  if (relative.length * begins.length > PLACES_MAX) throw tooMany(`${relative.length} Unix sockets without a folder`);
  const named = [
    ...given.filter((name) => name.startsWith('/')),
    ...relative.flatMap((name) => begins.map((begin) => resolve(begin, name))),
  ];
  const known = [...named.flatMap((path) => realPath(path) ?? []), ...paths];
  const besides = [...new Set(named.map(dirname))].flatMap((folder) => realPath(folder) ?? []);
  const folders = isTorn || relative.length > 0 ? [...besides, ...paths] : besides;
  const beside = [...new Set(folders)].filter(isShown).flatMap(socketsRightIn);
  return [...new Set([...known, ...beside])].filter((path) => isShown(path) && isSocket(path));
}

/** What the kernel lists; a name with a line end in it is torn. */
function socketNames(): { names: string[]; isTorn: boolean } {
  const [, ...lines] = (answer(() => readFileSync('/proc/net/unix', 'utf8')) ?? '').trimEnd().split('\n');
  if (lines.length > SOCKETS_MAX) throw tooMany(`more than ${SOCKETS_MAX} Unix sockets`);
  // A name with an `@` first is one without a path.
  const names = lines.map((line) => /^[0-9a-f]+: (?:\S+ ){5} *\d+ ([^@].*)$/.exec(line)?.[1] ?? '');
  const isTorn = lines.some((line) => !/^[0-9a-f]+: (?:\S+ ){5} *\d+(?: |$)/.test(line));
  return { names: [...new Set(names)].filter((name) => name !== ''), isTorn };
}

function tooMany(what: string): HubError {
  return new HubError('sandbox_unavailable', `${what} are open on this machine`, {
    hint: 'they cannot all be hidden; end what opens so many',
  });
}

/** Where processes are, as far as one may see it; those of other people do not answer. */
function foldersOfProcesses(): string[] {
  const pids = (answer(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name));
  const folders = pids.flatMap((pid) => answer(() => readlinkSync(`/proc/${pid}/cwd`)) ?? []);
  return [...new Set(folders)];
}

function isSocket(path: string): boolean {
  return answer(() => lstatSync(path).isSocket()) ?? false;
}

function socketsRightIn(folder: string): string[] {
  const entries = answer(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isSocket()).map(({ name }) => join(folder, name));
}
