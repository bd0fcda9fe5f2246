import type { ServerContext } from '@modelcontextprotocol/server';
import { detach } from '../../hub/base/detach.js';

/** Opencode gives up on what it hears nothing of for a minute. */
const PROGRESS_MS = 5_000;

export interface Progress {
  tell(): void;
  end(): void;
}

/** Tells at once and every few seconds that the call is under way, where the agent wants to know. */
export function tellProgress({ mcpReq }: ServerContext, doing: () => string): Progress {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return { tell: () => undefined, end: () => undefined };
  let progress = 0;
  const tell = (): void => {
    progress += 1;
    const params = { progressToken: token, progress, message: doing() };
    // Whoever is gone is told nothing.
    detach(mcpReq.notify({ method: 'notifications/progress', params }), () => undefined);
  };
  tell();
  const timer = setInterval(tell, PROGRESS_MS);
  return { tell, end: () => clearInterval(timer) };
}
