import type { Session } from '../../position/session_file.js';
import type { ReplPosition } from './repl_position.js';

/**
 * The session inside a conversation: the current tree is the open one, and the position
 * is the REPL's own, whatever other terminals do meanwhile.
 */
export function ownSession(session: Session, place: () => ReplPosition): Session {
  return {
    ...session,
    read() {
      const state = session.read();
      const { tree, position } = place();
      const here = { node: position(), moved_at_ms: Date.now() };
      return { ...state, current: tree, projects: {}, trees: { ...state.trees, [tree]: here } };
    },
    async move(tree, node, following = null) {
      if (tree === place().tree) place().go(node);
      else await session.move(tree, node, following);
    },
  };
}
