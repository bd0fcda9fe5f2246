import type { FeedEvent, WatchEvent } from '../../../hub/protocol/feed_events.js';
import type { LiveEvent } from '../../../hub/protocol/methods/live_methods.js';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { TreeId } from '../../../hub/protocol/node.js';
import type { TestHub } from '../../support/hub.js';

/** Events that come from now on, and those that a test waits for. */
export interface Heard<E> {
  all: E[];
  /** The first event, heard already or to come, that is so. */
  first(isIt: (event: E) => boolean): Promise<E>;
  stop(): void;
}

function hear<E>(begin: (tell: (event: E) => void, signal: AbortSignal) => Promise<unknown>): Heard<E> {
  const all: E[] = [];
  const waiting = new Set<(event: E) => void>();
  const ending = new AbortController();
  const tell = (event: E): void => {
    all.push(event);
    for (const one of waiting) one(event);
  };
  begin(tell, ending.signal).catch(() => undefined); // it ends with the test
  return {
    all,
    first: (isIt) =>
      new Promise((resolve) => {
        const found = all.find(isIt);
        if (found !== undefined) return resolve(found);
        const look = (event: E): void => {
          if (!isIt(event)) return;
          waiting.delete(look);
          resolve(event);
        };
        waiting.add(look);
      }),
    stop: () => ending.abort(),
  };
}

/** What a hub tells of its remotes, and of one tree or all. */
export function hearLive({ client }: Pick<TestHub, 'client'>, tree: TreeId | null = null): Heard<LiveEvent> {
  return hear((onEvent, signal) => client.stream('sharing.follow', { tree }, { onEvent, signal }));
}

/** The feed of a hub, from its beginning. */
export function hearFeed({ client }: Pick<TestHub, 'client'>): Heard<WatchEvent> {
  return hear((onEvent, signal) => client.watch({ since: 0, onEvent, signal }));
}

export function saysText(text: string): (event: FeedEvent | WatchEvent) => boolean {
  return (event) => event.kind === 'node_created' && JSON.stringify(event.node.blocks).includes(JSON.stringify(text));
}

export function problemsOf(hub: TestHub): Promise<ResultOf<'loom.fsck'>['problems']> {
  return hub.client.call('loom.fsck', {}).then(({ problems }) => problems);
}
