import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import { cliOption } from '../../../hub/base/hint.js';
import type { Contained, Policy } from '../../../hub/protocol/policy.js';
import type { ToolParts } from '../../base/tool_parts.js';
import { mayRead } from '../../policy/path_rules.js';
import type { PrivateGit } from '../../private_git/private_git.js';
import { folderOf } from '../../process/find_program.js';
import type { Sandbox } from '../../sandbox/forms/sandbox.js';
import type { Mount } from '../../sandbox/mounts.js';
import type { AgentCli, AgentStart } from '../agent_cli.js';
import { type AgentFolders, foldersInside } from './agent_folders.js';
import type { ProcessPlan } from './agent_process.js';
import { writeHomeFiles } from './home_files.js';

/** Set in the environment of every process that is started for somebody. */
const MARKER_VARIABLE = 'COGNITION_COMMAND';
/** What of a person's environment any program may need to reach the internet. */
const USUAL_VARIABLES =
  /^(LANG|LC_[A-Z]+|TZ|HTTPS?_PROXY|https?_proxy|NO_PROXY|no_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/;

export type LaunchParts = Pick<ToolParts, 'machine' | 'sessionsFolder' | 'newId'> & {
  sandbox: Sandbox;
  privateGit: PrivateGit;
};

/** What an agent is started with, beside what it is to do. */
export interface LaunchPlace {
  cli: AgentCli;
  /** Its real path. */
  program: string;
  folders: AgentFolders;
  policy: Policy;
  /** The person's environment, of which the agent gets what it names. */
  environment: Readonly<Record<string, string>>;
  /** Variables that tell it where it is. */
  told(folders: Omit<AgentFolders, 'agent'>): Readonly<Record<string, string>>;
}

/** How the program of an agent is started: in the sandbox, unless the policy is open. */
export async function planLaunch(
  parts: LaunchParts,
  place: LaunchPlace,
  { words, start }: { words: readonly string[]; start: AgentStart },
): Promise<ProcessPlan> {
  const { cli, program, folders, policy } = place;
  const isOpen = policy.kind === 'open';
  const seen = isOpen ? folders : foldersInside();
  const content = cli.home({ level: start.level, home: seen.home, cwd: start.cwd, tools: start.tools });
  writeHomeFiles(folders.home, content.files);
  const marker = randomBytes(16).toString('hex');
  const common = {
    ...{ marker, isLive: true, logs: folders.agent, disk: parts.machine.cognitionHome },
    environment: {
      ...usualEnvironment(place, parts),
      ...content.environment,
      ...place.told(seen),
      ...{ HOME: seen.home, PWD: start.cwd, [MARKER_VARIABLE]: marker },
    },
  };
  if (isOpen) return { ...common, program, arguments: words, cwd: start.cwd, release: () => undefined };
  const { kind, problem, hint } = await parts.sandbox.report();
  if (kind === 'none' || kind === 'sandbox-exec') {
    throw new HubError('approval_needed', `no sandbox on this machine can hold ${cli.name}: ${problem ?? kind}`, {
      hint: [hint ?? 'install bubblewrap', ', or if you accept what that means: ', cliOption('no-sandbox', '')],
    });
  }
  const tmp = join(parts.sessionsFolder, `agent-${marker}`);
  mkdirSync(tmp, { recursive: true, mode: 0o700 });
  // It has to reach its model.
  const networked: Contained = { ...policy, network: true };
  const wrapped = await parts.sandbox.wrap({
    ...{ program, arguments: words, policy: networked, cwd: start.cwd, tmp },
    overlays: await parts.privateGit.overlays(networked),
    mounts: [...mountsOf(folders), ...programMounts(program, networked, parts)],
  });
  return { ...common, ...wrapped, cwd: '/' };
}

function usualEnvironment({ cli, environment }: LaunchPlace, { machine }: LaunchParts): Record<string, string> {
  const isPassed = (name: string): boolean => cli.variables.includes(name) || USUAL_VARIABLES.test(name);
  const { USER = 'user' } = environment;
  return {
    ...{ PATH: environment.PATH ?? machine.path, USER, LOGNAME: USER, LANG: 'C.UTF-8' },
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => isPassed(name))),
    ...{ TERM: 'dumb', NO_COLOR: '1', TMPDIR: '/tmp', SHELL: '/bin/bash', PAGER: 'cat', GIT_PAGER: 'cat' },
    ...{ GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true', EDITOR: 'true', DEBIAN_FRONTEND: 'noninteractive' },
  };
}

function mountsOf(folders: AgentFolders): Mount[] {
  const inside = foldersInside();
  const mounted = ['home', 'workspace', 'context', 'messages', 'results'] as const;
  return mounted.map((name) => ({
    ...{ kind: 'bind', path: inside[name], source: folders[name], writable: true, isFolder: true },
  }));
}

/** Programs in a folder that is hidden otherwise, and the Node that runs them. */
function programMounts(program: string, policy: Contained, { machine }: LaunchParts): Mount[] {
  const node = realpathSync(process.execPath);
  return [folderOf(program), folderOf(node)]
    .filter((folder) => !mayRead(folder, policy, machine))
    .map((path) => ({ kind: 'bind', path, source: path, writable: false, isFolder: true }));
}
