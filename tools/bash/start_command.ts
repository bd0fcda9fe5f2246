import { randomBytes } from 'node:crypto';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { NODE_BYTES_MAX } from '../../hub/protocol/limits.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { NodeId } from '../../hub/protocol/node.js';
import type { ToolParts } from '../base/tool_parts.js';
import type { PrivateGit } from '../private_git/private_git.js';
import type { PipePool } from '../process/pipes.js';
import { findProcess } from '../process/process_table.js';
import type { SpareFiles } from '../process/spare_files.js';
import { type Child, type SpawnPlan, spawnChild } from '../process/spawn_process.js';
import { createSpool, type Spool } from '../process/spool.js';
import { usualLimits } from '../process/use_limits.js';
import type { Sandbox } from '../sandbox/forms/sandbox.js';
import type { JoinedNetwork, SessionNetworks } from '../sandbox/session_networks.js';
import { type BashCommand, runCommand } from './bash_command.js';
import type { BranchState, BranchStates } from './branch_states.js';
import { beginRecord, type CommandEnd, type CommandStart, hasRecord, type RecordFile } from './command_records.js';
import { type CarriedChanges, changesAfter, type Environment, NO_CHANGES, type ShellChanges } from './environment.js';
import type { BashSession } from './sessions.js';
import { type Control, type ControlOptions, createControl, type ShellState } from './shell_state.js';
import { isOneProgram } from './single_program.js';
import { containedPlan, environmentOf, openPlan, spawnError, withMarker } from './spawn_plan.js';
import { storeAndForget } from './store_result.js';
import { folderAfter, folderFor } from './working_folder.js';

/** Bytes reserved for the node's other fields. */
const OTHER_FIELDS_BYTES = 256 * 1024;

export interface BashParts extends ToolParts {
  sandbox: Sandbox;
  privateGit: PrivateGit;
  pool: PipePool;
  carried: CarriedChanges;
  branchStates: BranchStates;
  networks: SessionNetworks;
  spares: SpareFiles;
  /** Takes over a process whose background children hold its pipes. */
  adopt(child: Child): void;
  /** Whether the hub is still there to store results. */
  mayKeep(): Promise<boolean>;
}

/** A command before it starts. */
export interface CommandRequest extends Omit<ParsedOf<'bash.execute'>, 'id' | 'session'> {
  id: NodeId;
  session: BashSession;
  branch: BranchState;
  begunAtMs: number | null;
}

/** Everything that is opened for a command. */
interface CommandResources {
  start: CommandStart;
  before: ShellChanges;
  environment: Environment;
  plan: SpawnPlan;
  control: Control;
  record: RecordFile;
  spool: Spool;
  /** Ends its sandbox. */
  leave(): void;
}

/** Starts a command. */
export async function startCommand(parts: BashParts, request: CommandRequest): Promise<BashCommand> {
  const cleanup: (() => void)[] = [];
  const cleanUp = (): void => {
    for (const step of cleanup.splice(0).reverse()) step();
  };
  try {
    const resources = await openResources(parts, request, cleanup);
    const { start, spool, control } = resources;
    const { policy } = request.session;
    return await runCommand({
      ...{ start, spool, timeoutMs: request.timeout_ms, isEnclosed: policy.kind === 'contained' },
      limits: policy.kind === 'contained' ? usualLimits(parts.machine.cognitionHome) : null,
      isUnheard: request.background,
      sparesBackground: isPersonsOwn(request),
      clock: parts.clock,
      adopt: parts.adopt,
      state: control.read,
      begin: (take) => spawnShell(parts, resources, take),
      conclude: (ended, state) => {
        // From here on only storing the result removes the record.
        cleanup.splice(cleanup.indexOf(resources.record.remove), 1);
        const answer = concludeCommand(parts, { request, resources, state, ended }).finally(cleanUp);
        // While the hub stores it.
        setImmediate(resources.leave);
        return answer;
      },
    });
  } catch (error) {
    cleanUp();
    throw error;
  }
}

/** Whether a person runs it outside a sandbox: only then its changes of the environment are carried on. */
function isPersonsOwn({ session, call_id }: CommandRequest): boolean {
  return session.policy.kind === 'open' && call_id === null;
}

async function openResources(
  parts: BashParts,
  request: CommandRequest,
  cleanup: (() => void)[],
): Promise<CommandResources> {
  const { session, place, append, call_id, command, id, branch } = request;
  const { policy, tmp } = session;
  refuseUnstorable(command);
  refuseSecondRun(parts.machine.commands, id);
  const isContained = policy.kind === 'contained';
  const from = { folder: request.cwd, branch: branch.cwd, session: session.cwd, isModels: call_id !== null };
  const cwd = folderFor(from, policy, parts.machine);
  const before = request.reset ? NO_CHANGES : parts.carried.find(branch.commands);
  const isOwn = isPersonsOwn(request);
  const marker = randomBytes(16).toString('hex');
  const environment = withMarker(environmentOf(session, before.variables, parts), { marker, cwd });
  const joined = await joinNetwork(parts, request);
  cleanup.push(joined.leave);
  const start: CommandStart = {
    ...{ marker, id, session: session.id, command, cwd, place, append, call_id },
    sandbox: isContained ? (await parts.sandbox.report()).kind : 'none',
    network: policy.kind === 'open' || policy.network,
    is_alone: request.background && isContained && !policy.network && joined.network === null,
    started_at_ms: parts.clock(),
    begun_at_ms: request.begunAtMs,
  };
  const control = openControl(parts, {
    ...{ command, umask: session.umask, own: isOwn ? before : null, bashEnv: environment.BASH_ENV },
    isLimited: isContained,
    // The file of BASH_ENV may set traps of its own, and like an earlier command define any word as a function.
    inPlace:
      environment.BASH_ENV === undefined &&
      (!isOwn || before.definitions === null) &&
      isOneProgram(command, environment),
  });
  cleanup.push(control.close);
  const shell = { control, cwd, environment };
  const { background } = request;
  const plan = isContained
    ? await containedPlan(shell, { ...parts, policy, tmp, network: joined.network, background })
    : { ...openPlan(shell, parts), release: () => undefined };
  const leave = plan.release;
  cleanup.push(leave);
  const record = openRecord(parts, start);
  cleanup.push(record.remove);
  const spool = createSpool(record.spoolPath, parts.config.outputBytesMax());
  cleanup.push(spool.close);
  return { start, before, environment, plan, control, record, spool, leave };
}

/** Where the policy grants the network, all is in it together. */
async function joinNetwork({ networks }: BashParts, { session, background }: CommandRequest): Promise<JoinedNetwork> {
  const isOwn = session.policy.kind === 'contained' && !session.policy.network;
  return isOwn ? networks.join(session.id, background) : { network: null, leave: () => undefined };
}

function refuseUnstorable(command: string): void {
  if (command.includes('\0')) {
    throw new HubError('invalid_params', 'a command cannot hold a NUL character', {
      hint: "bash makes one with printf '\\0'",
    });
  }
  const bytes = Buffer.byteLength(JSON.stringify(command));
  if (bytes <= NODE_BYTES_MAX - OTHER_FIELDS_BYTES) return;
  throw new HubError('limit', `the command has ${bytes} bytes as JSON: its node could not hold it`, {
    hint: 'put it into a file and run that',
  });
}

function refuseSecondRun(folder: string, id: NodeId): void {
  if (!hasRecord(folder, id)) return;
  throw new HubError('storage_failed', 'what this command came to when it was run before is not stored yet', {
    hint: 'make room on the disk and ask again: it is not run a second time',
    retryable: true,
  });
}

function openControl({ spares, machine: place }: BashParts, options: ControlOptions): Control {
  try {
    return createControl(spares.take(), options);
  } catch (error) {
    throw notWritten(error, place.cognitionHome);
  }
}

function openRecord(parts: BashParts, start: CommandStart): RecordFile {
  try {
    return beginRecord({ folder: parts.machine.commands, spare: parts.spares.take() }, start, parts.log);
  } catch (error) {
    throw notWritten(error, parts.machine.commands);
  }
}

function notWritten(cause: unknown, path: string): HubError {
  const code = errnoOf(cause) ?? String(cause);
  const about = `the command was not run, because ${path} cannot be written (${code})`;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new HubError('disk_full', about, { hint: 'make room on the disk', retryable: true, cause });
  }
  return new HubError('storage_failed', about, { hint: 'is it a folder of your own?', cause });
}

async function spawnShell(
  parts: BashParts,
  resources: CommandResources,
  take: Parameters<typeof spawnChild>[2],
): Promise<Child> {
  const child = await spawnChild(parts.pool, resources.plan, take).catch((error: unknown) => {
    throw spawnError(error, resources.environment);
  });
  resources.record.started({ pid: child.pid, start: (await findProcess(child.pid))?.start ?? '' });
  return child;
}

interface Conclusion {
  request: CommandRequest;
  resources: CommandResources;
  ended: Omit<CommandEnd, 'cwd'>;
  state: ShellState | null;
}

async function concludeCommand(
  parts: BashParts,
  { request, resources, ended, state }: Conclusion,
): Promise<ToolAnswer> {
  const { start, before, environment, record, spool } = resources;
  const { policy } = request.session;
  const isContained = policy.kind === 'contained';
  const cwd = state === null ? start.cwd : folderAfter(state.cwd, start.cwd, { policy, machine: parts.machine });
  const jobs = isContained && state !== null ? state.jobs : ended.background_ended;
  const end: CommandEnd = { ...ended, background_ended: jobs, cwd };
  if (isPersonsOwn(request)) {
    const own = state?.own ?? null;
    parts.carried.remember(start.id, own === null ? before : changesAfter(before, environment, own));
  }
  const answer = await storeAndForget(parts, record, { start, end, spool });
  if (answer.node !== null) parts.branchStates.remember(answer.node.id, { cwd, before: request.branch });
  return answer;
}
