/** What is said to turns of this hub is taken in such pieces, and so much at once unless a single message has more. */
const INBOX_ROWS = 50;
const INBOX_BYTES = 1024 * 1024;
/** Of what any writer can have written there: turns of others that are read, and the most that one, or something said to it, may have. */
export const LEASES_MAX = 200;
export const LEASE_BYTES_MAX = 1024 * 1024;
export const SAID_BYTES_MAX = 32 * 1024 * 1024;

/** The turns that others have in some trees, but one hub's. Each login has its newest before any has a second, so that none hides those of others. */
export const LEASES = `SELECT l.turn, l.tree, l.body, l.renewed_at > now() - interval '30 seconds' AS alive,
    (extract(epoch FROM l.renewed_at) * 1000)::bigint AS seen,
    coalesce((SELECT left(person, 99) || ' · ' || left(machine, 98) FROM cognition.hubs h WHERE h.id = l.hub), '') AS by
  FROM (SELECT *, row_number() OVER (PARTITION BY login ORDER BY renewed_at DESC, turn) AS place FROM cognition.leases
    WHERE tree = ANY($1) AND hub <> $2 AND octet_length(body) <= ${LEASE_BYTES_MAX}) AS l
  ORDER BY l.place, l.renewed_at DESC LIMIT ${LEASES_MAX}`;
/** A text that may be too long, as an empty one then. */
export const UP_TO = (column: string): string =>
  `CASE WHEN octet_length(${column}) <= ${SAID_BYTES_MAX} THEN ${column} ELSE '' END AS ${column}`;
/** What is said to a hub, of each login in turn. */
export const INBOX = `SELECT id, turn, tree, ${UP_TO('body')} FROM cognition.inbox JOIN (
    SELECT id AS said, place, said_at AS at, sum(octet_length(body)) OVER (ORDER BY place, said_at, id) - octet_length(body) AS before
    FROM (SELECT *, row_number() OVER (PARTITION BY login ORDER BY said_at, id) AS place
      FROM cognition.inbox WHERE hub = $1 AND answer IS NULL) AS one
  ) AS next ON next.said = inbox.id WHERE next.before < ${INBOX_BYTES} ORDER BY place, at, id LIMIT ${INBOX_ROWS}`;
