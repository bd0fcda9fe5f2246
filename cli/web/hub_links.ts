import { fileURLToPath } from 'node:url';
import { ensureHub } from '../../hub/client/find_hub.js';
import type { Link } from '../../hub/client/link.js';
import { VERSION } from '../../hub/config/config.js';
import { PROTOCOL } from '../../hub/protocol/limits.js';

const CLOSED_IN_ORDER = 1_001;

/**
 * Opens connections to the hub of a home for pages. A hub that died is started again; one that was ended in order is only looked
 * for, as a page that is left open must not bring it back.
 */
export function hubLinks(home: string, entry = fileURLToPath(new URL('./hub.js', import.meta.url))) {
  let isEnded = false;
  const program = { version: VERSION, protocol: PROTOCOL };
  return async (): Promise<Link> => {
    const signal = new AbortController().signal;
    const link = await ensureHub({ home, entry, start: !isEnded, listen: null, program, signal, mayCopy: false });
    isEnded = false;
    link.socket.once('close', (code) => {
      isEnded = code === CLOSED_IN_ORDER;
    });
    // What it fails by closes it.
    link.socket.on('error', () => undefined);
    return link;
  };
}
