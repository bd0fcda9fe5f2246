import { fileURLToPath } from 'node:url';
import { ensureHub } from '../../hub/client/find_hub.js';
import type { Link } from '../../hub/client/link.js';
import { copyHome, isReadOnlyHome } from '../../hub/client/read_only_home.js';
import { VERSION } from '../../hub/config/config.js';
import { PROTOCOL } from '../../hub/protocol/limits.js';

const CLOSED_IN_ORDER = 1_001;

/**
 * Opens connections to the hub of a home for pages. A hub that died is started again; one that was ended in order is only looked
 * for, as a page that is left open must not bring it back. Of a home that can only be read, pages see one copy.
 */
export function hubLinks(home: string, entry = fileURLToPath(new URL('./hub.js', import.meta.url))) {
  let isEnded = false;
  let copy: string | null = null;
  const program = { version: VERSION, protocol: PROTOCOL };
  return async (): Promise<Link> => {
    const signal = new AbortController().signal;
    copy ??= isReadOnlyHome(home) ? copyHome(home).home : null;
    const place = { home: copy ?? home, mayCopy: false };
    const link = await ensureHub({ ...place, entry, start: !isEnded, listen: null, program, signal });
    isEnded = false;
    link.socket.once('close', (code) => {
      isEnded = code === CLOSED_IN_ORDER;
    });
    // What it fails by closes it.
    link.socket.on('error', () => undefined);
    return link;
  };
}
