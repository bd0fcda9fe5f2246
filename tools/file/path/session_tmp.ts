import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { isWithin } from '../../../hub/base/is_within.js';
import type { BashSessionId } from '../../../hub/protocol/methods/tool_methods.js';
import type { Policy } from '../../../hub/protocol/policy.js';
import type { ToolParts } from '../../base/tool_parts.js';
import { copyNames } from '../../policy/copy_folder.js';
import { shownBy } from '../../policy/path_rules.js';

/** The folder that contained commands of a session see as `/tmp`. */
export interface SessionTmp {
  /** Its real path. */
  folder: string;
  /** Where an absolute path leads in the sandbox. */
  placeOf(absolute: string): string;
  /** The name of a real path in the sandbox. */
  nameOf(real: string): string;
  /** An error that names files as the sandbox does. */
  inItsWords(error: unknown): unknown;
}

/** Null for a call whose `/tmp` is that of the machine. */
export function sessionTmp(
  parts: Pick<ToolParts, 'sessionsFolder' | 'machine'>,
  { session, policy }: { session: BashSessionId | null; policy: Policy },
): SessionTmp | null {
  if (session === null || policy.kind === 'open') return null;
  const folder = join(parts.sessionsFolder, session);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { writable, readable } = shownBy(policy);
  const shown = [...writable, ...(readable ?? [])];
  const copy = copyNames(policy.copy, parts.machine);
  return {
    folder,
    placeOf(absolute) {
      const [, top = '', name = ''] = /^((?:\/var)?\/tmp)(?:\/([^/]*)|$)/.exec(absolute) ?? [];
      // A folder right below /tmp with something in it that the policy shows has nothing of the session.
      const isOthers = (path: string): boolean =>
        isWithin(absolute, path) || (name !== '' && isWithin(path, join(top, name)));
      return top === '' || shown.some(isOthers)
        ? (copy?.placeOf(absolute) ?? absolute)
        : folder + absolute.slice(top.length);
    },
    nameOf: (real) => (isWithin(real, folder) ? `/tmp${real.slice(folder.length)}` : (copy?.nameOf(real) ?? real)),
    inItsWords(error) {
      if (!(error instanceof HubError)) return error;
      const { kind, message, hint, retryable, details, cause } = error;
      const inWords = (text: string): string => {
        const named = text.replaceAll(folder, '/tmp');
        return copy?.inItsWords(named) ?? named;
      };
      return new HubError(kind, inWords(message), {
        ...{ retryable, details, cause },
        ...(hint === null ? {} : { hint: typeof hint === 'string' ? inWords(hint) : hint }),
      });
    },
  };
}
