import { existsSync, readFileSync } from 'node:fs';
import type { SandboxKind } from '../../../hub/protocol/methods/tool_methods.js';
import { valueOrNull } from '../attempt.js';
import type { FormTrial } from './form.js';

export interface SandboxReport {
  kind: SandboxKind;
  /** What was tried from inside and failed, as it must. */
  holds: string[];
  problem: string | null;
  hint: string | null;
}

/** Reports which form holds, and why no better one does. */
export function reportOf(trials: readonly FormTrial[]): SandboxReport {
  const holding = trials.find(({ failure }) => failure === null);
  const failed = trials.filter(({ failure }) => failure !== null);
  const hint = hintFor(failed);
  if (holding === undefined) {
    const reasons = failed.map(({ form, failure }) => `${form.name}: ${failure}`).join('; ');
    const problem = reasons === '' ? 'neither bubblewrap nor what is needed of util-linux is installed' : reasons;
    return { kind: 'none', holds: [], problem, hint };
  }
  const { form, holds } = holding;
  if (form.kind === 'sandbox-exec') {
    const problem = 'sandbox-exec on macOS is untested: it hides neither processes nor all sockets';
    return { kind: form.kind, holds, problem, hint: 'run models you do not trust on Linux' };
  }
  if (form.name === 'bubblewrap' && form.filtersCalls) return { kind: form.kind, holds, problem: null, hint: null };
  const [first] = failed;
  if (form.name === 'bubblewrap') {
    const problem =
      'system calls are not filtered: this kernel cannot, or their numbers are not known for this processor';
    return { kind: form.kind, holds, problem, hint: 'all else holds' };
  }
  const missing = form.kind === 'bubblewrap' ? 'unshare of util-linux is' : 'bubblewrap is';
  const why = first === undefined ? `${missing} not installed` : `${first.form.name}: ${first.failure}`;
  return { kind: form.kind, holds, problem: `${form.name} is used, because ${why}`, hint };
}

const KERNEL = '/proc/sys/kernel';

/** What the person can do so that a better form works. */
function hintFor(failed: readonly FormTrial[]): string {
  const setting = (path: string): string | null => valueOrNull(() => readFileSync(path, 'utf8').trim());
  if (process.getuid?.() !== 0 && setting(`${KERNEL}/apparmor_restrict_unprivileged_userns`) === '1') {
    return [
      'AppArmor forbids user namespaces here (Ubuntu 24.04 does): allow bubblewrap with a profile in /etc/apparmor.d/bwrap,',
      '"abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }",',
      'then: sudo systemctl reload apparmor',
    ].join(' ');
  }
  if (setting(`${KERNEL}/unprivileged_userns_clone`) === '0') {
    return 'user namespaces are switched off: sudo sysctl kernel.unprivileged_userns_clone=1';
  }
  if (setting('/proc/sys/user/max_user_namespaces') === '0') {
    return 'user namespaces are switched off: sudo sysctl user.max_user_namespaces=10000';
  }
  if (!failed.some(({ form }) => form.kind === 'bubblewrap')) return 'install bubblewrap: apt install bubblewrap';
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) {
    return 'in a container, user namespaces need: docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined';
  }
  return 'install bubblewrap 0.8 or newer';
}
