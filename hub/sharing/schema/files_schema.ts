/**
 * The recorded files of trees. The packs lie with the outputs; a set names those that it needs beside the sets before it, and which snapshot
 * in them a node has. Sets are numbered as entries are: `after` is the entry of the tree that was the last one then.
 */
export const FILES_STEP = `
  ALTER TABLE cognition.trees ADD COLUMN files_last bigint NOT NULL DEFAULT 0;
  CREATE TABLE cognition.file_sets (
    tree uuid NOT NULL, n bigint NOT NULL, hub uuid NOT NULL, after bigint NOT NULL, packs text[] NOT NULL,
    PRIMARY KEY (tree, n)
  );
  CREATE TABLE cognition.file_notes (
    tree uuid NOT NULL, n bigint NOT NULL, node uuid NOT NULL, root text NOT NULL CHECK (root ~ '^[0-9a-f]{64}$'),
    moment text NOT NULL CHECK (moment IN ('before', 'after', 'copied')), at_ms bigint NOT NULL CHECK (at_ms >= 0),
    PRIMARY KEY (tree, node, root, moment)
  );
  CREATE INDEX ON cognition.file_notes (tree, n);

  -- Null for a tree that is not there (any more), 0 when nothing of it is new.
  CREATE FUNCTION cognition.publish_files(
    a_tree uuid, a_hub uuid, a_packs text[], nodes uuid[], roots text[], moments text[], times bigint[]
  ) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
  DECLARE number bigint; entry bigint; added bigint;
  BEGIN
    PERFORM cognition.require_own(a_hub);
    IF cardinality(nodes) > 1000 OR EXISTS (SELECT FROM unnest(a_packs) AS p (sha256) WHERE NOT EXISTS
        (SELECT FROM cognition.tree_outputs o WHERE o.tree = a_tree AND o.sha256 = p.sha256)) THEN
      RAISE EXCEPTION 'no set of files' USING ERRCODE = '22023';
    END IF;
    SELECT t.files_last + 1, t.last INTO number, entry FROM cognition.trees t
    WHERE t.id = a_tree AND t.purged_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN RETURN NULL; END IF;
    INSERT INTO cognition.file_notes (tree, n, node, root, moment, at_ms)
    SELECT a_tree, number, f.node, f.root, f.moment, f.at_ms
    FROM unnest(nodes, roots, moments, times) AS f (node, root, moment, at_ms) ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    IF added = 0 THEN RETURN 0; END IF;
    INSERT INTO cognition.file_sets (tree, n, hub, after, packs) VALUES (a_tree, number, a_hub, entry, a_packs);
    UPDATE cognition.trees SET files_last = number WHERE id = a_tree;
    RETURN number;
  END; $body$;
  REVOKE ALL ON FUNCTION cognition.publish_files FROM PUBLIC;
`;

/** As PostgreSQL names it when it is asked who may call it. */
export const PUBLISH_FILES_FUNCTION = 'cognition.publish_files(uuid, uuid, text[], uuid[], text[], text[], bigint[])';
