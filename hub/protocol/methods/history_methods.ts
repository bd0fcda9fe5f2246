import * as z from 'zod';
import { methods } from '../method.js';
import { NodeId, Role, TreeId, TreeName } from '../node.js';
import { cursor, limitUpTo, page } from '../page_schema.js';
import { AbsolutePath } from '../turn.js';

const count = z.int().nonnegative();

/** What people and programs call a session: a name of their own, or the id of its tree. */
const SessionName = TreeName;

const Session = z.strictObject({
  /** By which it is gone on with. */
  session: z.string(),
  tree: TreeId,
  /** Its first words. */
  title: z.string(),
  ...{ messages: count, branches: count, updated_at_ms: count },
  /** Whether a turn runs in it, or waits for a person. */
  is_busy: z.boolean(),
});

/** What was said in a project, by sessions: trees with a place where whoever comes next goes on. */
export const historyMethods = methods({
  'history.session_open': {
    description: 'Finds a session of a project and where it goes on, or starts it.',
    params: z.strictObject({
      /** Of a tree that is made. */
      id: TreeId.optional(),
      project: AbsolutePath,
      /** Null for a new one without a name. */
      session: SessionName.nullable().default(null),
    }),
    result: z.strictObject({ session: z.string(), tree: TreeId, node: NodeId, is_new: z.boolean() }),
  },
  'history.session_list': {
    description: 'Lists the sessions of a project, newest activity first.',
    params: z.strictObject({ project: AbsolutePath, cursor, limit: limitUpTo(200, 20) }),
    result: page('sessions', Session),
  },
  'history.session_describe': {
    description: 'Describes a session: where it stands, what it cost, which models answered, and what was said last.',
    params: z.strictObject({ project: AbsolutePath, session: SessionName, messages: limitUpTo(100, 6) }),
    result: z.strictObject({
      ...Session.shape,
      node: NodeId,
      /** `provider/model` of each that was asked. */
      models: z.array(z.string()),
      ...{ requests: count, price_microdollars: count, unknown_price: count },
      /** The newest on the path, the oldest of them first; long ones are cut. */
      last: z.array(z.strictObject({ node: NodeId, role: Role, text: z.string() })),
    }),
  },
  'history.search': {
    description: 'Finds text in all branches of the sessions of a project, newest first, as `loom.search` does.',
    params: z.strictObject({
      project: AbsolutePath,
      query: z.string().min(1).max(1_000),
      cursor,
      limit: limitUpTo(100, 20),
    }),
    result: page(
      'hits',
      z.strictObject({
        session: z.string(),
        ...{ tree: TreeId, node: NodeId, role: Role, created_at_ms: count },
        /** Text around the first match. */
        snippet: z.string(),
      }),
    ),
    callerGone: 'cancel',
  },
});
