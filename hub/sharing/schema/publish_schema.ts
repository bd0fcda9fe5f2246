/** As PostgreSQL names it when it is asked who may call it. */
export const PUBLISH_FUNCTION = 'cognition.publish(uuid, uuid, uuid, bigint, text, text, text[], text[])';

/** How far ahead of the remote's clock a decision may claim to be. */
const AHEAD = "interval '15 minutes'";

/**
 * What writers may do, as functions that run as the owner: they write no table of hubs, trees and entries themselves. So the numbers of a
 * tree have no holes and are in the order of commits, an entry is of a hub of the login that sends it, and nobody decides for later.
 */
export const PUBLISH_STEP = `
  ALTER TABLE cognition.hubs ADD COLUMN login name;

  -- False for a hub that is another login's.
  CREATE FUNCTION cognition.greet(a_hub uuid, a_person text, a_machine text, a_program text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$ BEGIN
    INSERT INTO cognition.hubs AS h (id, person, machine, program, login)
    VALUES (a_hub, left(a_person, 200), left(a_machine, 200), left(a_program, 200), session_user)
    ON CONFLICT (id) DO UPDATE SET person = excluded.person, machine = excluded.machine, program = excluded.program,
      login = session_user, seen_at = now() WHERE coalesce(h.login, session_user) = session_user;
    RETURN EXISTS (SELECT FROM cognition.hubs WHERE id = a_hub AND login = session_user);
  END; $body$;

  -- Takes what is missing of these entries; late is how many decisions were left out, since they claim to be made later than now.
  CREATE FUNCTION cognition.publish(
    a_tree uuid, an_owner uuid, a_hub uuid, node_count bigint, a_name text, a_title text, ids text[], bodies text[],
    OUT first bigint, OUT last bigint, OUT late bigint
  ) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
  DECLARE latest numeric := extract(epoch FROM clock_timestamp() + ${AHEAD}) * 1000;
  BEGIN
    IF NOT EXISTS (SELECT FROM cognition.hubs WHERE id = a_hub AND login = session_user) THEN
      RAISE EXCEPTION 'the hub is another login''s' USING ERRCODE = '42501';
    END IF;
    -- A register is known by how it begins: another spelling of it would be a way around what follows.
    IF EXISTS (SELECT FROM unnest(ids, bodies) AS e (id, body) WHERE (CASE
        WHEN e.id LIKE 'register %' THEN e.body LIKE '{"register":{%' AND e.body::jsonb #>> '{register,hub}' = a_hub::text
        ELSE e.body LIKE '{"records":[%' END) IS NOT TRUE) THEN
      RAISE EXCEPTION 'no entry of this hub' USING ERRCODE = '22023';
    END IF;
    INSERT INTO cognition.trees (id, owner, hub) VALUES (a_tree, an_owner, a_hub) ON CONFLICT DO NOTHING;
    SELECT t.last INTO first FROM cognition.trees t WHERE t.id = a_tree AND t.purged_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    INSERT INTO cognition.entries (tree, n, id, hub, body)
    SELECT a_tree, first + row_number() OVER (ORDER BY e.place), e.id, a_hub, e.body
    FROM unnest(ids, bodies) WITH ORDINALITY AS e (id, body, place)
    -- One look into the index for each, however many the tree has: as a join it could be planned as a reading of the whole tree.
    WHERE (SELECT true FROM cognition.entries there WHERE there.tree = a_tree AND there.id = e.id LIMIT 1) IS NULL
      AND (e.id NOT LIKE 'register %' OR (e.body::jsonb #>> '{register,at_ms}')::numeric <= latest);
    GET DIAGNOSTICS last = ROW_COUNT;
    last := first + last;
    SELECT count(*) INTO late FROM unnest(ids, bodies) AS e (id, body)
    WHERE e.id LIKE 'register %' AND (e.body::jsonb #>> '{register,at_ms}')::numeric > latest;
    UPDATE cognition.trees t SET last = publish.last, nodes = greatest(t.nodes, node_count), name = left(a_name, 1000),
      title = left(a_title, 1000), hub = a_hub, updated_at = now() WHERE t.id = a_tree;
  END; $body$;

  REVOKE ALL ON FUNCTION cognition.greet, cognition.publish FROM PUBLIC;
`;
