import { resolve } from 'node:path';
import { HubError } from '../../base/error.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { isWithin } from '../../base/is_within.js';
import type { Policy } from '../../protocol/policy.js';
import type { Grants } from '../../protocol/turn.js';

/** What a model requests for a sub-session. */
export interface SandboxRequest {
  network?: boolean | undefined;
  extra_write_paths?: string[] | undefined;
}

export interface GrantSource {
  reach: InternalCaller;
  /** Of the turn that starts it, and the policy made of them. */
  grants: Grants;
  policy: Policy;
  /** Where that stands: what paths that are not absolute begin from. */
  cwd: string;
}

/**
 * The grants of a sub-session: never more than its parent has. It may write where the parent may, and has the network only on
 * request. The child of an unsandboxed parent is unsandboxed too, unless a sandbox is requested.
 */
export async function grantsFor(
  { reach, grants, policy, cwd }: GrantSource,
  request: SandboxRequest | undefined,
): Promise<Grants> {
  const network = request?.network ?? false;
  if (request?.extra_write_paths?.some((path) => path.includes('\0'))) throw refusal('no path holds a NUL character');
  const extra = await Promise.all(
    (request?.extra_write_paths ?? []).map((path) => realPlace(reach, resolve(cwd, path))),
  );
  if (policy.kind === 'open') {
    if (request === undefined) return grants;
    return { ...grants, network, write_paths: [...grants.write_paths, ...extra], unsandboxed: false };
  }
  if (network && !policy.network) throw refusal('you have no network, so a sub-session cannot have it either');
  const writable = await Promise.all(policy.writable.map((path) => realPlace(reach, path)));
  const outside = extra.find((path) => !writable.some((folder) => isWithin(path, folder)));
  if (outside !== undefined) {
    throw refusal(`${outside} is not among what you may write, so a sub-session cannot either`);
  }
  return { ...grants, network, unsandboxed: false };
}

function refusal(reason: string): HubError {
  return new HubError('invalid_params', `spawn_session was not run: ${reason}`);
}

/** Where a path really leads, as far as it is there. */
async function realPlace(reach: InternalCaller, path: string): Promise<string> {
  return (await callHub(reach, 'file.path_resolve', { path })).path;
}
