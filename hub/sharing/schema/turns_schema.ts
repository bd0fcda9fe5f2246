/**
 * The turns of shared trees: each runs in one hub, which says so and says it again; others say something to it through its inbox. As with
 * entries, writers do so by functions only, each in the name of a hub of their own.
 */
export const TURNS_STEP = `
  CREATE TABLE cognition.leases (
    turn uuid PRIMARY KEY, tree uuid NOT NULL, hub uuid NOT NULL, body text NOT NULL, renewed_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON cognition.leases (tree);
  CREATE INDEX ON cognition.leases (hub);
  CREATE TABLE cognition.inbox (
    id uuid PRIMARY KEY, turn uuid NOT NULL, tree uuid NOT NULL, hub uuid NOT NULL, sender uuid NOT NULL, body text NOT NULL,
    said_at timestamptz NOT NULL DEFAULT now(), answer text
  );
  CREATE INDEX ON cognition.inbox (hub) WHERE answer IS NULL;

  CREATE FUNCTION cognition.require_own(a_hub uuid) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$ BEGIN
    IF NOT EXISTS (SELECT FROM cognition.hubs WHERE id = a_hub AND login = session_user) THEN
      RAISE EXCEPTION 'the hub is another login''s' USING ERRCODE = '42501';
    END IF;
  END; $body$;

  -- A turn of this hub is so now.
  CREATE FUNCTION cognition.lease(a_hub uuid, a_tree uuid, a_turn uuid, a_body text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$ BEGIN
    PERFORM cognition.require_own(a_hub);
    INSERT INTO cognition.leases AS l (turn, tree, hub, body) VALUES (a_turn, a_tree, a_hub, a_body)
    ON CONFLICT (turn) DO UPDATE SET body = excluded.body, renewed_at = now() WHERE l.hub = a_hub;
  END; $body$;

  -- All turns of this hub but these have ended; these go on.
  CREATE FUNCTION cognition.renew(a_hub uuid, turns uuid[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$ BEGIN
    PERFORM cognition.require_own(a_hub);
    DELETE FROM cognition.leases WHERE hub = a_hub AND turn <> ALL(turns);
    UPDATE cognition.leases SET renewed_at = now() WHERE hub = a_hub;
  END; $body$;

  -- Says something to a turn; null when nobody has it, else the hub that has it.
  CREATE FUNCTION cognition.say(a_hub uuid, an_id uuid, a_turn uuid, a_body text) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
  DECLARE receiver uuid;
  BEGIN
    PERFORM cognition.require_own(a_hub);
    DELETE FROM cognition.inbox WHERE said_at < now() - interval '7 days';
    INSERT INTO cognition.inbox (id, turn, tree, hub, sender, body)
    SELECT an_id, l.turn, l.tree, l.hub, a_hub, a_body FROM cognition.leases l WHERE l.turn = a_turn ON CONFLICT DO NOTHING;
    SELECT i.hub INTO receiver FROM cognition.inbox i WHERE i.id = an_id;
    RETURN receiver;
  END; $body$;

  CREATE FUNCTION cognition.answer(a_hub uuid, an_id uuid, an_answer text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$ BEGIN
    PERFORM cognition.require_own(a_hub);
    UPDATE cognition.inbox SET answer = an_answer WHERE id = an_id AND hub = a_hub;
  END; $body$;

  REVOKE ALL ON FUNCTION cognition.require_own, cognition.lease, cognition.renew, cognition.say, cognition.answer FROM PUBLIC;
`;
