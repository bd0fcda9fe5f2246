import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { RawJson } from '../../hub/base/plugin.js';
import { homePaths } from '../../hub/config/config.js';
import { METHODS, type MethodName, type ParamsOf, type ResultOf } from '../../hub/protocol/methods/method_table.js';
import { type LoomPlugin, openLoom } from '../../loom/loom_plugin.js';
import { HUB_ENTRY } from './hub.js';

const built = (name: string) => new URL(name, pathToFileURL(HUB_ENTRY));

/** The storage of a home with its real threads, as the hub's own parts use it. */
export async function openStorage(home: string) {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const loom = await openLoom({
    ...{ paths: homePaths(home), clock: Date.now, newId: randomUUID },
    workers: {
      ...{ writer: built('loom_writer.js'), reader: built('loom_reader.js'), copier: built('loom_copier.js') },
    },
  });
  return { call: callsOf(loom), close: async () => loom.close?.() };
}

function callsOf(loom: LoomPlugin) {
  return async <M extends MethodName>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> => {
    const handler = loom.methods[method];
    if (handler === undefined) throw new Error(`the storage does not serve ${method}`);
    const context = {
      ...{ signal: new AbortController().signal, caller: { kind: 'internal' as const } },
      ...{ emit: () => undefined, hasRoom: () => true, drained: async () => undefined },
    };
    const answer = await handler(METHODS[method].params.parse(params) as never, context); // its own schema parsed it
    return METHODS[method].result.parse(answer instanceof RawJson ? JSON.parse(answer.text) : answer) as never; // its own schema parsed it
  };
}
