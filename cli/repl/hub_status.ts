import { detach, neverFails } from '../../hub/base/detach.js';
import type { Client } from '../../hub/client/client.js';
import { failureOn } from './conversation/conversation_parts.js';
import type { Front } from './front/front.js';

/** How long a hub may be away before that is told: one that died is back in less as a rule. */
const AWAY_MS = 300;
/** Where none could be had, one may come by whatever way, such as another terminal: so long until that is looked for again. */
const LOOK_MS = 2_000;

export interface HubLineParts {
  client: Client;
  front: Front;
  /** Listens again to what happens, which waits for a hub and starts none. */
  listen(): void;
}

/** Tells the person when the hub is away, and when it is back; what it returns ends that. */
export function tellHubLine({ client, front, listen }: HubLineParts): () => void {
  let timer: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  /** What is said when it is back; null while it is there, and where nothing went wrong. */
  let isBack: string | null = null;
  const away = (text: string, delayMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => front.update({ hub: text }), delayMs);
  };
  const forget = client.onLine((state) => {
    switch (state.kind) {
      case 'lost':
        if (state.inOrder) return away('The hub has ended. It starts again with what you do next.', AWAY_MS);
        isBack = '(the hub had ended, and runs again)';
        return away('The hub is away and is being started again. What you send waits for it.', AWAY_MS);
      case 'failed':
        isBack = '(the hub is there again)';
        away('No hub can be reached. What you do next looks for it again.', 0);
        failureOn(front)(state.error);
        clearTimeout(looking);
        looking = setTimeout(listen, LOOK_MS);
        return;
      case 'there':
        clearTimeout(timer);
        front.update({ hub: null });
        if (isBack !== null) detach(front.show({ kind: 'note', text: isBack }), neverFails);
        clearTimeout(looking);
        if (isBack !== null) listen();
        isBack = null;
    }
  });
  return () => {
    forget();
    clearTimeout(timer);
    clearTimeout(looking);
  };
}
