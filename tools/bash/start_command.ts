import { randomBytes } from 'node:crypto';
import { errnoOf } from '../../hub/base/errno.js';
import { HubError } from '../../hub/base/error.js';
import { NODE_BYTES_MAX } from '../../hub/protocol/limits.js';
import type { ParsedOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { NodeId } from '../../hub/protocol/node.js';
import type { ToolParts } from '../base/parts.js';
import type { PipePool } from '../process/pipes.js';
import { lookAtProcess } from '../process/process_table.js';
import type { SpareFiles } from '../process/spare_files.js';
import { type Child, type SpawnPlan, spawnChild } from '../process/spawn_process.js';
import { createSpool, type Spool } from '../process/spool.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { type BashCommand, runCommand } from './bash_command.js';
import type { BranchPlace, Places } from './branch_places.js';
import { type Begun, beginRecord, type End, hasRecord, type RecordFile } from './command_records.js';
import { type Carried, type Changes, changesAfter, type Environment } from './environment.js';
import { folderAfter, folderFor } from './folder.js';
import type { BashSession } from './sessions.js';
import { type Control, createControl, type ShellState, type Wanted } from './shell_state.js';
import { isOneProgram } from './single_program.js';
import { containedPlan, environmentOf, marked, openPlan, spawnError } from './spawn_plan.js';
import { keepAndForget } from './store_result.js';

/** Of a node, for what stands beside the command. */
const ROOM_BYTES = 256 * 1024;

export interface BashParts extends ToolParts {
  sandbox: Sandbox;
  pool: PipePool;
  carried: Carried;
  places: Places;
  spares: SpareFiles;
  /** Takes over a process whose background children hold its pipes. */
  adopt(child: Child): void;
  /** Whether the hub that commands were begun for is there to keep what they came to. */
  mayKeep(): Promise<boolean>;
}

/** What is known of a command before it begins. */
export interface Order extends Omit<ParsedOf<'bash.execute'>, 'id' | 'session'> {
  id: NodeId;
  session: BashSession;
  branch: BranchPlace;
}

/** What a command needs, and what becomes of each when it has ended. */
interface Site {
  begun: Begun;
  before: Changes;
  environment: Environment;
  plan: SpawnPlan;
  control: Control;
  record: RecordFile;
  spool: Spool;
}

/** Begins a command. */
export async function startCommand(parts: BashParts, order: Order): Promise<BashCommand> {
  const cleanup: (() => void)[] = [];
  const clean = (): void => {
    for (const step of cleanup.splice(0).reverse()) step();
  };
  try {
    const site = await makeSite(parts, order, cleanup);
    const { begun, spool, control } = site;
    const { policy } = order.session;
    return await runCommand({
      ...{ begun, spool, timeoutMs: order.timeout_ms, isEnclosed: policy.kind === 'contained' },
      sparesBackground: isPersonsOwn(order),
      clock: parts.clock,
      adopt: parts.adopt,
      state: control.read,
      begin: (take) => spawned(parts, site, take),
      conclude: (ended, state) => {
        // From here on the record is not thrown away whatever happens, but by what keeps the command.
        cleanup.splice(cleanup.indexOf(site.record.remove), 1);
        return concluded(parts, { order, site, state, ended }).finally(clean);
      },
    });
  } catch (error) {
    clean();
    throw error;
  }
}

/** Whether a person runs it as in their own shell: only then is what it changes theirs. */
function isPersonsOwn({ session, call_id }: Order): boolean {
  return session.policy.kind === 'open' && call_id === null;
}

async function makeSite(parts: BashParts, order: Order, cleanup: (() => void)[]): Promise<Site> {
  const { session, place, append, call_id, command, id, branch } = order;
  const { policy, tmp } = session;
  refuseUnkeepable(command);
  refuseSecondRun(parts.machine.commands, id);
  const isContained = policy.kind === 'contained';
  const cwd = folderFor({ asked: order.cwd, branch: branch.cwd, session: session.cwd }, policy, parts.machine);
  const before = parts.carried.find(branch.commands);
  const marker = randomBytes(16).toString('hex');
  const environment = marked(environmentOf(session, before, parts), { marker, cwd });
  const begun: Begun = {
    ...{ marker, id, session: session.id, command, cwd, place, append, call_id },
    sandbox: isContained ? (await parts.sandbox.report()).kind : 'none',
    network: policy.kind === 'open' || policy.network,
    started_at_ms: parts.clock(),
  };
  const control = controlled(parts, {
    ...{ command, umask: session.umask, exported: isPersonsOwn(order), bashEnv: environment.BASH_ENV },
    // What BASH_ENV names may set traps of its own, or make a function of any word.
    inPlace: environment.BASH_ENV === undefined && isOneProgram(command, environment),
  });
  cleanup.push(control.close);
  const shell = { control, cwd, environment };
  let plan: SpawnPlan;
  if (isContained) {
    const contained = await containedPlan(shell, { policy, tmp, sandbox: parts.sandbox });
    cleanup.push(contained.release);
    plan = contained;
  } else plan = openPlan(shell, parts);
  const record = recorded(parts, begun);
  cleanup.push(record.remove);
  const spool = createSpool(record.spoolPath, parts.config.outputBytesMax());
  cleanup.push(spool.close);
  return { begun, before, environment, plan, control, record, spool };
}

function refuseUnkeepable(command: string): void {
  if (command.includes('\0')) {
    throw new HubError('invalid_params', 'a command cannot hold a NUL character', {
      hint: "bash makes one with printf '\\0'",
    });
  }
  const bytes = Buffer.byteLength(JSON.stringify(command));
  if (bytes <= NODE_BYTES_MAX - ROOM_BYTES) return;
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

function controlled({ spares, machine: place }: BashParts, wanted: Wanted): Control {
  try {
    return createControl(spares.take(), wanted);
  } catch (error) {
    throw notWritten(error, place.cognitionHome);
  }
}

function recorded(parts: BashParts, begun: Begun): RecordFile {
  try {
    return beginRecord({ folder: parts.machine.commands, spare: parts.spares.take() }, begun, parts.log);
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

async function spawned(parts: BashParts, site: Site, take: Parameters<typeof spawnChild>[2]): Promise<Child> {
  const child = await spawnChild(parts.pool, site.plan, take).catch((error: unknown) => {
    throw spawnError(error, site.environment);
  });
  site.record.started({ pid: child.pid, start: (await lookAtProcess(child.pid))?.start ?? '' });
  return child;
}

interface Concluding {
  order: Order;
  site: Site;
  ended: Omit<End, 'cwd'>;
  state: ShellState | null;
}

async function concluded(parts: BashParts, { order, site, ended, state }: Concluding): Promise<ToolAnswer> {
  const { begun, before, environment, record, spool } = site;
  const { policy } = order.session;
  const isContained = policy.kind === 'contained';
  const cwd = state === null ? begun.cwd : folderAfter(state.cwd, begun.cwd, { policy, place: parts.machine });
  const jobs = isContained && state !== null ? state.jobs : ended.background_ended;
  const end: End = { ...ended, background_ended: jobs, cwd };
  if (isPersonsOwn(order)) {
    const exported = state?.exported ?? null;
    parts.carried.remember(begun.id, exported === null ? before : changesAfter(before, environment, exported));
  }
  const answer = await keepAndForget(parts, record, { begun, end, spool });
  if (answer.node !== null) parts.places.remember(answer.node.id, { cwd, before: order.branch });
  return answer;
}
