import { LEASE_BYTES_MAX, SAID_BYTES_MAX } from './turn_limits.js';

/** Turns of a login that are noted; of more the oldest go. And what it has said to turns and nobody has answered yet. */
const LEASES_OF_LOGIN = 1_000;
const SAID_OF_LOGIN = 1_000;
/** Outputs of so many pieces, 64 MiB, are proven by the server; larger ones by whoever reads them alone. */
const PROVEN_PIECES = 256;

const lock = (sha256: string): string => `pg_advisory_xact_lock(hashtextextended(${sha256}, 7203814402))`;
/** Who purges an output and who sends it wait for each other. */
export const LOCK_OUTPUTS = `SELECT ${lock('sha256')} FROM unnest($1::text[]) AS gone (sha256) ORDER BY sha256`;

/**
 * What a writer could still do to others: name an output that is not there, or has other bytes, so that theirs cannot be fetched; fill what
 * is shown of turns; and leave something in a tree that was deleted. Outputs are stored by functions from here on, too.
 */
export const GUARD_STEP = `
  ALTER TABLE cognition.leases ADD COLUMN login name;
  CREATE INDEX ON cognition.leases (login, renewed_at);
  ALTER TABLE cognition.inbox ADD COLUMN login name;
  CREATE INDEX ON cognition.inbox (login) WHERE answer IS NULL;

  CREATE OR REPLACE FUNCTION cognition.lease(a_hub uuid, a_tree uuid, a_turn uuid, a_body text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$ BEGIN
    PERFORM cognition.require_own(a_hub);
    IF octet_length(a_body) > ${LEASE_BYTES_MAX} OR EXISTS
      (SELECT FROM cognition.trees WHERE id = a_tree AND purged_at IS NOT NULL) THEN RETURN; END IF;
    DELETE FROM cognition.leases WHERE turn IN (SELECT turn FROM cognition.leases
      WHERE login = session_user AND turn <> a_turn ORDER BY renewed_at DESC OFFSET ${LEASES_OF_LOGIN - 1});
    INSERT INTO cognition.leases AS l (turn, tree, hub, body, login) VALUES (a_turn, a_tree, a_hub, a_body, session_user)
    ON CONFLICT (turn) DO UPDATE SET body = excluded.body, renewed_at = now(), login = session_user WHERE l.hub = a_hub;
  END; $body$;

  CREATE OR REPLACE FUNCTION cognition.say(a_hub uuid, an_id uuid, a_turn uuid, a_body text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
  DECLARE receiver uuid;
  BEGIN
    PERFORM cognition.require_own(a_hub);
    DELETE FROM cognition.inbox WHERE said_at < now() - interval '7 days';
    IF octet_length(a_body) > ${SAID_BYTES_MAX} OR (SELECT count(*) FROM cognition.inbox
      WHERE login = session_user AND answer IS NULL) >= ${SAID_OF_LOGIN} THEN RETURN NULL; END IF;
    INSERT INTO cognition.inbox (id, turn, tree, hub, sender, body, login)
    SELECT an_id, l.turn, l.tree, l.hub, a_hub, a_body, session_user FROM cognition.leases l
    WHERE l.turn = a_turn ON CONFLICT DO NOTHING;
    SELECT i.hub INTO receiver FROM cognition.inbox i WHERE i.id = an_id;
    RETURN receiver;
  END; $body$;

  -- A piece of an output that is not kept yet; of one that is kept nothing changes.
  CREATE FUNCTION cognition.put_piece(a_sha256 text, a_piece int, a_bytes bytea) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$ BEGIN
    IF (a_sha256 ~ '^[0-9a-f]{64}$' AND a_piece BETWEEN 0 AND 4095 AND length(a_bytes) <= 262144) IS NOT TRUE THEN
      RAISE EXCEPTION 'no piece of an output' USING ERRCODE = '22023';
    END IF;
    PERFORM ${lock('a_sha256')};
    IF EXISTS (SELECT FROM cognition.tree_outputs WHERE sha256 = a_sha256) THEN RETURN; END IF;
    INSERT INTO cognition.outputs AS o (sha256, piece, bytes) VALUES (a_sha256, a_piece, a_bytes)
    ON CONFLICT (sha256, piece) DO UPDATE SET bytes = excluded.bytes WHERE o.bytes <> excluded.bytes;
  END; $body$;

  -- Keeps an output for a tree when it is whole and the one that its name says.
  CREATE FUNCTION cognition.keep_output(a_tree uuid, a_sha256 text, some_pieces int) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
  DECLARE kept int; there bigint;
  BEGIN
    PERFORM ${lock('a_sha256')};
    -- A purge of the tree waits, or is over.
    PERFORM FROM cognition.trees WHERE id = a_tree FOR SHARE;
    SELECT max(pieces) INTO kept FROM cognition.tree_outputs WHERE sha256 = a_sha256;
    IF EXISTS (SELECT FROM cognition.trees WHERE id = a_tree AND purged_at IS NOT NULL) THEN
      IF kept IS NULL THEN DELETE FROM cognition.outputs WHERE sha256 = a_sha256; END IF;
      RETURN;
    END IF;
    IF kept IS NULL THEN
      DELETE FROM cognition.outputs WHERE sha256 = a_sha256 AND piece >= some_pieces;
      SELECT count(*) INTO there FROM cognition.outputs WHERE sha256 = a_sha256;
      IF there = some_pieces AND there > ${PROVEN_PIECES} THEN kept := there; END IF;
      IF there = some_pieces AND there BETWEEN 1 AND ${PROVEN_PIECES} AND encode(sha256(
        (SELECT string_agg(bytes, ''::bytea ORDER BY piece) FROM cognition.outputs WHERE sha256 = a_sha256)), 'hex') = a_sha256
      THEN kept := there; END IF;
      IF kept IS NULL THEN RAISE EXCEPTION 'the output is not what its name says' USING ERRCODE = '22023'; END IF;
    END IF;
    INSERT INTO cognition.tree_outputs (tree, sha256, pieces) VALUES (a_tree, a_sha256, kept) ON CONFLICT DO NOTHING;
  END; $body$;

  REVOKE ALL ON FUNCTION cognition.put_piece, cognition.keep_output FROM PUBLIC;
`;
