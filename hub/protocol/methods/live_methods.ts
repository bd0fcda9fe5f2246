import * as z from 'zod';
import { methods } from '../method.js';
import { TreeId } from '../node.js';

/** How far what is shared over a remote has been sent. */
const RemoteState = z.strictObject({
  kind: z.literal('remote_state'),
  remote: z.string(),
  /** Whether it cannot be reached now. */
  away: z.boolean(),
  /** Nodes that are not there yet. */
  to_send: z.int().nonnegative(),
});

export const LiveEvent = z.discriminatedUnion('kind', [
  RemoteState,
  /** A tree that cannot be gone on with over a remote, and why. */
  z.strictObject({ kind: z.literal('tree_stopped'), remote: z.string(), tree: TreeId, problem: z.string() }),
]);
export type LiveEvent = z.infer<typeof LiveEvent>;

export const liveMethods = methods({
  'sharing.follow': {
    description: 'Tells how what is shared is sent and fetched, for as long as the call lasts.',
    params: z.strictObject({
      /** Only what concerns this one, and the remotes. */
      tree: TreeId.nullable().default(null),
      stream: z.string().min(1).max(200),
    }),
    result: z.strictObject({}),
    event: LiveEvent,
    callerGone: 'cancel',
  },
});
