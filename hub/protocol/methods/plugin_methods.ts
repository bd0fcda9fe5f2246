import * as z from 'zod';
import { methods } from '../method.js';
import { Json } from '../node.js';

const callNumber = z.int().positive();

/** What the hub asks of a process that serves plugins. */
export const PluginRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('call'), id: callNumber, method: z.string(), params: Json }),
  z.strictObject({ kind: z.literal('resolve'), id: callNumber, plugin: z.string(), params: Json }),
  z.strictObject({ kind: z.literal('cancel'), id: callNumber }),
  /** Acknowledges events, so that more can be sent. */
  z.strictObject({ kind: z.literal('room'), id: callNumber }),
]);
export type PluginRequest = z.infer<typeof PluginRequest>;

/** `data` is that of an error response. */
const Failure = z.strictObject({ message: z.string(), data: Json });

/** Registers the process that the hub has started to serve plugins, by the one-time secret of that start. */
export const pluginMethods = methods({
  'plugins.serve': {
    description: 'Takes over the methods of plugins; the hub sends their calls on the stream until it is cancelled.',
    params: z.strictObject({
      secret: z.string().max(200),
      plugins: z
        .array(
          z.strictObject({
            name: z.string().max(100),
            version: z.string().max(100),
            methods: z.array(z.string().max(200)).max(200),
            resolves: z.boolean(),
          }),
        )
        .max(50),
      stream: z.string().min(1).max(200),
    }),
    result: z.strictObject({}),
    event: PluginRequest,
    callerGone: 'cancel',
  },
  'plugins.emit': {
    description: 'Sends an event of a running call to its caller; without room, wait for word of it before the next.',
    params: z.strictObject({ id: callNumber, event: Json }),
    result: z.strictObject({ room: z.boolean() }),
  },
  'plugins.answer': {
    description: 'Answers a call with its result or its failure.',
    params: z.strictObject({
      id: callNumber,
      outcome: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('result'), result: Json }),
        z.strictObject({ kind: z.literal('failure'), failure: Failure }),
      ]),
    }),
    result: z.strictObject({}),
  },
});
