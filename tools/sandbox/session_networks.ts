import type { BashSessionId } from '../../hub/protocol/methods/tool_methods.js';
import type { Sandbox } from './forms/sandbox.js';
import type { SharedNetwork } from './invocation.js';

/** A command's part in the network of its session. */
export interface JoinedNetwork {
  /** Null for a network of the command's own. */
  network: SharedNetwork | null;
  /** To be called when the command has ended; the network goes with the last one. */
  leave(): void;
}

/** The networks that the commands of a session share while one of them runs in the background. */
export interface SessionNetworks {
  join(session: BashSessionId, makes: boolean): Promise<JoinedNetwork>;
}

export function createSessionNetworks(sandbox: Pick<Sandbox, 'openNetwork'>): SessionNetworks {
  const networks = new Map<BashSessionId, { opening: Promise<SharedNetwork | null>; users: number }>();
  return {
    async join(session, makes) {
      const shared = networks.get(session) ?? (makes ? { opening: sandbox.openNetwork(), users: 0 } : null);
      if (shared === null) return { network: null, leave: () => undefined };
      networks.set(session, shared);
      shared.users += 1;
      const network = await shared.opening;
      return {
        network,
        leave() {
          shared.users -= 1;
          if (shared.users > 0) return;
          networks.delete(session);
          network?.close();
        },
      };
    },
  };
}
