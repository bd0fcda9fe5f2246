/**
 * Tasks for workers. Nobody but the owner writes these tables: the functions do, as the owner, and take the login of the
 * session for whose a row is. Who runs a task proves it by a token, of which only the digest is readable.
 */
export const TASK_STEP = `
  CREATE TABLE cognition.tasks (
    id uuid PRIMARY KEY, login text NOT NULL, tree uuid NOT NULL, node uuid NOT NULL,
    hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
    project text NOT NULL CHECK (length(project) BETWEEN 1 AND 100), model text CHECK (length(model) BETWEEN 1 AND 400),
    level text CHECK (length(level) BETWEEN 1 AND 40), cost bigint CHECK (cost > 0),
    state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed', 'stopped')),
    stop boolean NOT NULL DEFAULT false, lost int NOT NULL DEFAULT 0, failed int NOT NULL DEFAULT 0,
    worker uuid, worker_hub uuid, worker_login text, former_hub uuid, former_login text, digest text, leased_until timestamptz,
    tip uuid, paid_before bigint NOT NULL DEFAULT 0, paid bigint NOT NULL DEFAULT 0,
    reason text CHECK (length(reason) <= 2000),
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(), began_at timestamptz, ended_at timestamptz
  );
  CREATE INDEX ON cognition.tasks (made_at, id) WHERE state IN ('queued', 'running');
  CREATE INDEX ON cognition.tasks (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE cognition.workers (
    id uuid PRIMARY KEY, login text NOT NULL, hub uuid NOT NULL, project text NOT NULL CHECK (length(project) <= 100),
    level text NOT NULL CHECK (length(level) <= 40), models text NOT NULL, people text NOT NULL, at_once int NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  ${definer(
    `task_put(a_task uuid, a_tree uuid, a_node uuid, a_hash text, a_project text, a_model text, a_level text, a_cost bigint)`,
    'boolean',
    `
    DELETE FROM cognition.tasks WHERE ended_at < clock_timestamp() - interval '90 days';
    IF (SELECT count(*) FROM cognition.tasks WHERE login = session_user AND state IN ('queued', 'running')) >= 1000 THEN
      RETURN false;
    END IF;
    INSERT INTO cognition.tasks (id, login, tree, node, hash, project, model, level, cost)
    VALUES (a_task, session_user, a_tree, a_node, a_hash, a_project, a_model, a_level, a_cost) ON CONFLICT DO NOTHING;
    RETURN EXISTS (SELECT FROM cognition.tasks WHERE id = a_task AND login = session_user);`,
  )}
  ${definer(
    'worker_seen(a_worker uuid, a_hub uuid, a_project text, a_level text, a_models text, a_people text, a_most int)',
    'void',
    `
    PERFORM cognition.require_own(a_hub);
    DELETE FROM cognition.workers WHERE seen_at < clock_timestamp() - interval '1 day';
    INSERT INTO cognition.workers AS w (id, login, hub, project, level, models, people, at_once)
    VALUES (a_worker, session_user, a_hub, a_project, a_level, left(a_models, 1000), left(a_people, 1000), a_most)
    ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp() WHERE w.login = session_user;`,
  )}
  -- What no worker may take up again has ended.
  ${definer(
    'task_sweep()',
    'void',
    `
    UPDATE cognition.tasks SET ended_at = clock_timestamp(), state = CASE WHEN stop THEN 'stopped' ELSE 'failed' END,
      reason = CASE WHEN stop THEN 'its worker went away while it was to stop' ELSE 'three workers went away while they ran it' END
    WHERE id IN (SELECT id FROM cognition.tasks WHERE state = 'running' AND leased_until < clock_timestamp()
      AND (stop OR lost >= 2) FOR UPDATE SKIP LOCKED);`,
  )}
  ${definer(
    'task_take(a_worker uuid, a_hub uuid, a_token text, a_project text, a_people text[], a_models text[])',
    'uuid',
    `
    DECLARE a_digest text := encode(sha256(convert_to(a_token, 'UTF8')), 'hex'); chosen uuid;
    BEGIN
    PERFORM cognition.require_own(a_hub);
    SELECT id INTO chosen FROM cognition.tasks WHERE state = 'running' AND digest = a_digest;
    IF chosen IS NOT NULL THEN RETURN chosen; END IF;
    PERFORM cognition.task_sweep();
    SELECT id INTO chosen FROM cognition.tasks
    WHERE (state = 'queued' OR (state = 'running' AND leased_until < clock_timestamp() AND lost < 2)) AND NOT stop
      AND project = a_project AND (model IS NULL OR model = ANY (a_models))
      AND CASE WHEN a_people IS NULL THEN login = session_user ELSE login = ANY (a_people) OR '*' = ANY (a_people) END
    ORDER BY made_at, id FOR UPDATE SKIP LOCKED LIMIT 1;
    UPDATE cognition.tasks SET lost = lost + CASE state WHEN 'running' THEN 1 ELSE 0 END, state = 'running',
      reason = CASE state WHEN 'running' THEN 'it was not heard of any more' ELSE reason END,
      former_hub = worker_hub, former_login = worker_login, worker = a_worker, worker_hub = a_hub, worker_login = session_user, digest = a_digest, paid_before = paid,
      began_at = clock_timestamp(), leased_until = clock_timestamp() + interval '30 seconds'
    WHERE id = chosen;
    RETURN chosen;
    END;`,
  )}
  -- Null when the task is another's.
  ${definer(
    'task_hold(a_task uuid, a_token text, a_tip uuid, a_price bigint)',
    'boolean',
    `
    DECLARE told boolean; a_worker uuid;
    BEGIN
    UPDATE cognition.tasks SET leased_until = clock_timestamp() + interval '30 seconds', tip = coalesce(a_tip, tip),
      paid = greatest(paid, paid_before + greatest(a_price, 0))
    WHERE id = a_task AND state = 'running' AND digest = encode(sha256(convert_to(a_token, 'UTF8')), 'hex')
    RETURNING stop, worker INTO told, a_worker;
    UPDATE cognition.workers SET seen_at = clock_timestamp() WHERE id = a_worker AND login = session_user;
    RETURN told;
    END;`,
  )}
  -- The state that it is in then; null when the task is another's. Twice is once.
  ${definer(
    'task_end(a_task uuid, a_token text, a_how text, a_reason text, a_tip uuid, a_price bigint)',
    'text',
    `
    DECLARE told text;
    BEGIN
    PERFORM cognition.task_hold(a_task, a_token, a_tip, a_price);
    UPDATE cognition.tasks SET digest = CASE WHEN a_how IN ('lost', 'retry', 'back') THEN NULL ELSE digest END,
      reason = CASE WHEN a_how = 'lost' AND lost >= 2 THEN 'three workers went away while they ran it' ELSE left(a_reason, 2000) END,
      lost = lost + CASE a_how WHEN 'lost' THEN 1 ELSE 0 END, failed = failed + CASE a_how WHEN 'retry' THEN 1 ELSE 0 END,
      state = CASE WHEN a_how IN ('done', 'failed', 'stopped') THEN a_how WHEN stop THEN 'stopped'
        WHEN a_how = 'lost' AND lost >= 2 THEN 'failed' WHEN a_how = 'retry' AND failed >= 1 THEN 'failed' ELSE 'queued' END
    WHERE id = a_task AND state = 'running' AND digest = encode(sha256(convert_to(a_token, 'UTF8')), 'hex');
    UPDATE cognition.tasks SET ended_at = clock_timestamp()
    WHERE id = a_task AND state IN ('done', 'failed', 'stopped') AND ended_at IS NULL;
    SELECT state INTO told FROM cognition.tasks
    WHERE id = a_task AND (digest = encode(sha256(convert_to(a_token, 'UTF8')), 'hex') OR (digest IS NULL AND state <> 'running'));
    RETURN told;
    END;`,
  )}
  -- Null when it is not for this login to stop.
  ${definer(
    'task_stop(a_task uuid)',
    'text',
    `
    DECLARE told text;
    BEGIN
    UPDATE cognition.tasks SET stop = true, state = CASE state WHEN 'queued' THEN 'stopped' ELSE state END,
      ended_at = CASE state WHEN 'queued' THEN clock_timestamp() ELSE ended_at END
    WHERE id = a_task AND state IN ('queued', 'running') AND (session_user IN (login, worker_login)
      OR pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = 'cognition.tasks'::regclass), 'MEMBER'));
    PERFORM cognition.task_sweep();
    SELECT state INTO told FROM cognition.tasks WHERE id = a_task AND (stop OR state NOT IN ('queued', 'running'));
    RETURN told;
    END;`,
  )}
`;

/** What a writer may call. */
export const TASK_FUNCTIONS = ['task_put', 'worker_seen', 'task_take', 'task_hold', 'task_end', 'task_stop'];

/** A function that runs as the owner of the schema, for whoever is granted it. */
function definer(signature: string, result: string, body: string): string {
  const name = signature.slice(0, signature.indexOf('('));
  const block = /^\s*DECLARE/.test(body) ? body : `BEGIN ${body} END;`;
  return `
  CREATE FUNCTION cognition.${signature} RETURNS ${result} LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $body$ ${block} $body$;
  REVOKE ALL ON FUNCTION cognition.${name} FROM PUBLIC;`;
}
