import * as z from 'zod';
import { methods } from '../method.js';
import { Json } from '../node.js';

export const controlMethods = methods({
  'health.check': {
    description: 'Tells how the hub is: version, age, memory, connections and the state of its storage.',
    params: z.strictObject({}),
    result: z.strictObject({
      /** `read_only` after a failed write to disk, until the hub is restarted. */
      status: z.enum(['ok', 'read_only']),
      version: z.string(),
      protocol: z.int(),
      epoch: z.string(),
      pid: z.int(),
      home: z.string(),
      endpoint: z.string(),
      /** The TCP address, when the hub was asked to listen on one. */
      listen: z.string().nullable(),
      uptime_ms: z.int(),
      memory_bytes: z.int(),
      connections: z.int(),
      /** Calls and turns that would be cut off by stopping now. */
      busy: z.int(),
      sqlite: z.string(),
    }),
  },
  'health.stop': {
    description: 'Ends the hub after answering what it has begun; with `if_idle`, only when nothing is running.',
    params: z.strictObject({ if_idle: z.boolean().default(false) }),
    result: z.strictObject({ stopping: z.boolean() }),
  },
  'rpc.discover': {
    description: 'Returns this protocol as an OpenRPC 1.3.2 document.',
    params: z.strictObject({}),
    result: z.record(z.string(), Json),
  },
  'rpc.cancel': {
    description: 'Cancels a call that this connection has under way, by the id of its request.',
    params: z.strictObject({ id: z.union([z.string().max(200), z.number()]) }),
    result: z.strictObject({ cancelled: z.boolean() }),
  },
});
