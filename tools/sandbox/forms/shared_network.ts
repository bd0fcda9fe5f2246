import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { shellQuote } from '../../base/shell_quote.js';
import { valueOrNull } from '../attempt.js';
import { type Invocation, type SharedNetwork, startedBy } from '../invocation.js';
import { findProgram } from '../machine.js';
import type { Form } from './form.js';

const MAKER_MS_MAX = 5_000;
/** Brings up the loopback, where there is no `ip`. */
const PERL = `socket(my $s, 2, 2, 0) && ioctl($s, 0x8914, pack('a16 s x22', 'lo', 0x41)) or exit 1`;

/**
 * Makes a network for the commands of a form; null where that cannot be done. A process makes it, with a user namespace around
 * it where the form has one, and ends: the kernel keeps both for as long as this process has them open. No command has rights over
 * it, because each is in a user namespace further in, or has none.
 */
export async function openSharedNetwork(form: Form): Promise<SharedNetwork | null> {
  const [nsenter, sh] = ['nsenter', 'sh'].map(findProgram);
  const maker = sh ? makerFor(form, sh) : null;
  if (!nsenter || !sh || maker === null) return null;
  const kinds = form.userNamespace ? ['user', 'net'] : ['net'];
  const descriptors = await namespacesOf(maker, kinds);
  // By its descriptor: a process number may belong to another process by then.
  const flags = kinds.map((kind, index) => `--${kind}=/proc/${process.pid}/fd/${descriptors[index]}`);
  const network: SharedNetwork = {
    entry: [nsenter, ...flags, '--preserve-credentials', '--'],
    close() {
      for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
    },
  };
  if (descriptors.length === kinds.length && (await ends(startedBy(network.entry, emptyScript(sh))))) return network;
  network.close();
  return null;
}

/** What makes the namespaces as the form itself does, prints its process number, and ends with its input. */
function makerFor({ kind, userNamespace }: Form, sh: string): Invocation | null {
  const [bwrap, unshare, ip, perl] = ['bwrap', 'unshare', 'ip', 'perl'].map(findProgram);
  const script = (loopback: string): Invocation => ({
    program: sh,
    arguments: ['-c', `${loopback}echo $$; read -r end`],
  });
  if (kind === 'bubblewrap' && bwrap) {
    const user = userNamespace ? ['--unshare-user'] : [];
    return startedBy([bwrap, ...user, '--unshare-net', '--die-with-parent', '--bind', '/', '/', '--'], script(''));
  }
  if (kind !== 'util-linux' || !unshare || (!ip && !perl)) return null;
  const user = userNamespace ? ['--user', '--map-current-user', '--keep-caps'] : [];
  const loopback = ip ? `${ip} link set lo up` : `${perl} -f -e ${shellQuote(PERL)}`;
  return startedBy([unshare, ...user, '--net', '--'], script(`${loopback} && `));
}

function emptyScript(sh: string): Invocation {
  return { program: sh, arguments: ['-c', ':'] };
}

/** Opens the namespaces of a process that runs as long as it is looked at; none where it did not start. */
async function namespacesOf(maker: Invocation, kinds: readonly string[]): Promise<number[]> {
  const child = spawn(maker.program, maker.arguments, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
    timeout: MAKER_MS_MAX,
    killSignal: 'SIGKILL',
  });
  const gone = once(child, 'close');
  const said = await Promise.race([once(child.stdout, 'data'), gone]).catch(() => []);
  const pid = Number(String(said[0]));
  const opened = Number.isInteger(pid) && pid > 1 ? kinds.map((kind) => openOrNull(`/proc/${pid}/ns/${kind}`)) : [];
  child.stdin.end();
  await gone.catch(() => undefined); // it could not be started
  return opened.flatMap((descriptor) => descriptor ?? []);
}

function openOrNull(path: string): number | null {
  return valueOrNull(() => openSync(path, 'r'));
}

/** Whether a program ends well. */
async function ends({ program, arguments: words }: Invocation): Promise<boolean> {
  return promisify(execFile)(program, [...words], { env: {}, timeout: MAKER_MS_MAX }).then(
    () => true,
    () => false,
  );
}
