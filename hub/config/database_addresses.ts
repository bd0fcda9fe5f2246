const PREFIX = 'postgres.';
const NAME = /^[\p{L}\p{N}_-]{1,100}$/u;

/** The database name in a configuration key such as `postgres.shop`; null for other keys. */
export function connectionName(key: string): string | null {
  const name = key.startsWith(PREFIX) ? key.slice(PREFIX.length) : '';
  return NAME.test(name) ? name : null;
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
