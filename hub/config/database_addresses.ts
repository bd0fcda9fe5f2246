const KEY = /^(?:postgres\.(?<name>[\p{L}\p{N}_-]{1,100})|remote\.(?<remote>[a-z][a-z0-9_-]{0,62}))$/u;

/** What a configuration key gives the address of: a database for queries, or a remote that trees are shared over. */
export interface Addressed {
  of: 'database' | 'remote';
  name: string;
}

/** What a configuration key such as `postgres.shop` or `remote.team` gives the address of; null for other keys. */
export function addressedBy(key: string): Addressed | null {
  const { name, remote } = KEY.exec(key)?.groups ?? {};
  if (name !== undefined) return { of: 'database', name };
  return remote === undefined ? null : { of: 'remote', name: remote };
}

export function addressDescription({ of, name }: Addressed): string {
  return of === 'database'
    ? `The database that queries call ${name}.`
    : `The PostgreSQL that trees are shared over as ${name}.`;
}

/** What the name in such a key may have; null for other keys. */
export function addressNameRule(key: string): string | null {
  if (key.startsWith('remote.')) return 'its name has small letters, digits, - and _ only, and begins with a letter';
  return key.startsWith('postgres.')
    ? 'its name has letters, digits, - and _ only, and the address follows a space'
    : null;
}

/** Why a text is not a database address; null when it is one. The text may be secret and is never quoted. */
export function connectionProblem(key: string, value: string): string | null {
  if (value.startsWith('/') && !/[\n\r\0]/.test(value)) return null;
  if (addressOf(value) !== null) return null;
  return `${key} is an address such as postgres://user:password@host/database, with what is special in the password percent-encoded, or the folder of a socket and a database's name`;
}

/** A database address for display, without its password. */
export function shownConnection(value: string): string {
  if (value.startsWith('/')) return value;
  if (addressOf(value) === null) return '***';
  const [place = '', query] = value.replace(/^(\w+:\/\/[^:/?#]*):[^/?#]*@/, '$1:***@').split(/\?(.*)/s);
  return query === undefined ? place : `${place}?${query.split('&').map(shownParameter).join('&')}`;
}

function shownParameter(pair: string): string {
  const [name = ''] = new URLSearchParams(pair).keys();
  return /pass|secret|token/i.test(name) ? `${pair.split('=', 1)[0]}=***` : pair;
}

/** Null for what is no address, and for one that other parsers would split differently. */
function addressOf(value: string): URL | null {
  if (!/^postgres(ql)?:\/\/[^\s\\]+$/.test(value)) return null;
  const named = value.replace(/^(\w+:\/\/[^/?#]*@)\//, '$1localhost/');
  if (!URL.canParse(named)) return null;
  const address = new URL(named);
  const beyond = `${address.pathname}${address.search}${address.hash}`;
  return beyond.includes('@') ? null : address;
}
