import { HubError } from '../../../hub/base/error.js';
import { callFilter } from '../filter/call_filter.js';
import { numberOf, type Processor, processorHere, type SystemCall } from '../filter/system_calls.js';
import type { Invocation } from '../invocation.js';
import { findProgram } from '../machine.js';
import type { FormInput } from './form.js';
import { BASE, MEMORY, type MountFlag, type MountStep, mountStepsOf } from './mount_steps.js';
import { LAUNCHER } from './perl_launcher.js';

export interface Perl {
  perl: string;
  processor: Processor;
  /** Whether to run in a user namespace, in which nobody may make another. */
  userNamespace: boolean;
  /** The filter of system calls in hexadecimal; empty for none. */
  filter: string;
}

/** What the kernel takes of arguments, less than the least that it is set to. */
const ARGUMENT_BYTES_MAX = 1_000_000;
const CALLS = [
  ...(['prctl', 'unshare', 'mount', 'umount2', 'pivot_root', 'capset', 'setsid', 'seccomp'] as const),
] satisfies SystemCall[];
const FLAGS: Readonly<Record<MountFlag, number>> = { ro: 1, nosuid: 2, nodev: 4, noexec: 8 };
const REMOUNT = 32 | 4096;

/** The program that this form needs, where the numbers of system calls are known; else null. */
export function findPerl({
  userNamespace,
  filtersCalls,
}: {
  userNamespace: boolean;
  filtersCalls: boolean;
}): Perl | null {
  const perl = findProgram('perl');
  const processor = processorHere();
  if (perl === null || processor === null) return null;
  return { perl, processor, userNamespace, filter: filtersCalls ? callFilter(processor).toString('hex') : '' };
}

/** One process of perl makes the namespaces, mounts the plan in them, drops every capability, filters calls and starts the command. */
export function perlInvocation({ plan, command, ownNetwork }: FormInput, form: Perl): Invocation {
  const { folders, files, links, mounts } = mountStepsOf(plan.mounts);
  const words = [
    ...CALLS.map((call) => String(numberOf(call, form.processor))),
    form.userNamespace ? '1' : '0',
    ownNetwork ? '0' : '1',
    form.filter,
    ...[BASE, `mode=755,size=${MEMORY}`, command.cwd],
    ...listOf(folders),
    ...listOf(files),
    ...listOf(links),
    ...listOf(mounts.flatMap(wordsOf)),
  ];
  const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (bytes > ARGUMENT_BYTES_MAX) {
    throw new HubError(
      'limit',
      `the policy's paths make ${bytes} bytes of arguments, the most is ${ARGUMENT_BYTES_MAX}`,
      {
        hint: 'name fewer and larger folders in the policy',
      },
    );
  }
  // Perl would take words that begin with a dash for its own.
  return {
    program: form.perl,
    arguments: ['-f', '-e', LAUNCHER, '--', ...words, command.program, ...command.arguments],
  };
}

function listOf(words: readonly string[]): string[] {
  return [String(words.length), ...words];
}

function wordsOf({ kind, source, target, flags, options }: MountStep): string[] {
  const bits = flags.reduce((sum, flag) => sum | FLAGS[flag], 0);
  return [kind, source, target, String(bits | (kind === 'remount' ? REMOUNT : 0)), options];
}
