import { mkdirSync } from 'node:fs';
import { HubError } from '../../../hub/base/error.js';
import { shortened } from '../../../hub/base/head_and_tail.js';
import type { CallContext } from '../../../hub/base/plugin.js';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { Node } from '../../../hub/protocol/node.js';
import type { Policy } from '../../../hub/protocol/policy.js';
import { beginCall } from '../../base/outcome.js';
import { findNode } from '../../base/store_output.js';
import { findProgram } from '../../process/find_program.js';
import type { AgentCli } from '../agent_cli.js';
import { findCli, knownAgents } from '../all_clis.js';
import { faultOf } from '../fault.js';
import { homeOf, makeAgentFolders } from '../process/agent_folders.js';
import type { LaunchPlace } from '../process/launch.js';
import type { RoleTool } from '../roles/role_file.js';
import { promptFor } from '../roles/role_prompt.js';
import { noteBegin, noteEnd } from './agent_files.js';
import { createListener, type RunningExchange } from './exchange_listener.js';
import type { AgentExchange, ExchangeParams, ExchangeParts } from './exchange_parts.js';
import { ExchangeMetadata } from './first_words.js';
import { messagesText, newMessages, readMessages, takeMessages } from './left_messages.js';
import { type RunRecord, removeRecord } from './run_records.js';
import { openRunText } from './run_text.js';
import { speakUntilEnd } from './speak.js';
import { storeRun } from './store_run.js';
import { readPath, splitPath } from './told_path.js';

/** The longest answer that becomes a node; of a longer one the ends. All of it is in the run. */
const ANSWER_BYTES_MAX = 1_000_000;

/** Lets an agent answer what was said last on a path, and appends what it did. */
export async function runExchange(
  parts: ExchangeParts,
  params: ExchangeParams,
  { context, onRunning }: { context: CallContext; onRunning(running: RunningExchange): void },
): Promise<ResultOf<'outside.run'>> {
  const done = await findNode(parts.hub, params.id);
  if (done !== null) return answerAgain(parts, done);
  const exchange = await openExchange(parts, params, context);
  return finish(parts, exchange, onRunning).finally(exchange.instance.release);
}

async function finish(
  parts: ExchangeParts,
  exchange: AgentExchange,
  onRunning: (running: RunningExchange) => void,
): Promise<ResultOf<'outside.run'>> {
  const { run, record, params, context } = exchange;
  noteBegin(exchange, record.started_at_ms);
  const listener = createListener(context, { run, asksPerson: params.level === 'ask' });
  onRunning({
    ...{ id: params.id, agent: exchange.cli.name, tree: params.place.tree, startedAtMs: record.started_at_ms },
    ...listener.running,
  });
  if (exchange.tools?.includes('bash') === false && !exchange.cli.abilities.includes('tools')) {
    listener.onEvent({
      kind: 'noted',
      text: `its role runs no commands, and nothing but its words keeps ${exchange.cli.name} from that`,
    });
  }
  const end = await speakUntilEnd(parts, exchange, listener);
  for (const text of newMessages(exchange.place.folders.messages, exchange.messages)) {
    listener.onEvent({ kind: 'noted', text });
  }
  noteEnd(exchange, parts.clock(), end);
  const answer = await storeRun(parts, { ...exchange, end });
  run.remove();
  removeRecord(parts.runs, params.id);
  const { text } = shortened(end.text, ANSWER_BYTES_MAX);
  return { ...answer, session: end.session, text, fault: end.fault };
}

/** The answer of an exchange that was appended already, by a process that has ended before it could say so. */
function answerAgain(parts: ExchangeParts, node: Node): ResultOf<'outside.run'> {
  const external = node.kind === 'external' ? node.external : null;
  const metadata = ExchangeMetadata.safeParse(external?.handle.metadata);
  const cli = metadata.success ? findCli(metadata.data.agent, parts.machine.cognitionHome) : null;
  if (external === null || !metadata.success || cli === null) {
    throw new HubError('conflict', `the id ${node.id} belongs to another node`, { hint: 'use a fresh random id' });
  }
  const { session, fault } = metadata.data;
  const told = fault === null ? null : faultOf(cli, fault, 'interrupted: the tools or the hub ended while it worked');
  return { blocks: node.blocks, external, node, branched: false, session, text: '', fault: told };
}

async function openExchange(
  parts: ExchangeParts,
  asking: ExchangeParams,
  context: CallContext,
): Promise<AgentExchange> {
  const { id, place, agent, project, environment } = asking;
  const cli = findCli(agent, parts.machine.cognitionHome);
  if (cli === null) throw unknownAgent(agent, parts);
  if (asking.level === 'ask' && !cli.abilities.includes('ask')) throw cannotAsk(cli);
  const program = findProgram(cli.executable, environment?.PATH ?? parts.machine.path);
  if (program === null) throw notInstalled(cli);
  const { instructions, minutes, tools } = await promptFor(parts, asking);
  const params = { ...asking, policy: policyWith(asking, tools) };
  const timeMs = params.time_ms ?? minutes * 60_000;
  const begun = await beginCall(parts, { id, place, append: true, call_id: null });
  const path = splitPath(await readPath(parts.hub, place.node));
  if (path.task.trim() === '') {
    throw new HubError('invalid_params', `nothing has been said here that ${cli.name} could answer`, {
      hint: 'say first what it is to do',
    });
  }
  const home = homeOf(parts.machine.cognitionHome, cli.name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const version = await parts.versions.of(program, home);
  if (context.signal.aborted) throw new HubError('cancelled', `${cli.name} was stopped before it began`);
  const record: RunRecord = {
    ...{ id, place, turn: params.turn, agent: cli.name, version, task: path.task, cwd: params.cwd },
    ...{ started_at_ms: parts.clock(), begun_at_ms: begun.begun_at_ms, markers: [] },
  };
  const instance = parts.instances.take(place.tree, cli.name, params.role);
  const folders = makeAgentFolders(
    { ...parts.machine, project, tree: place.tree },
    { agent: cli.name, id: instance.id },
  );
  const messages = readMessages(folders.messages);
  const told = { ...path, task: messagesText(takeMessages(folders, instance), path.task) };
  return {
    ...{ params, context, cli, instance, path: told, version, instructions, timeMs, record, tools, messages },
    call: { ...begun, turn: params.turn },
    run: openRunText(parts.runs, id),
    place: launchPlace({ cli, program, folders, timeMs, instance }, params),
  };
}

/** The policy of a role: one that may not write has nothing that it could write to. */
function policyWith({ policy, project }: ExchangeParams, tools: readonly RoleTool[] | null): Policy {
  if (tools === null || tools.includes('write')) return policy;
  if (policy.kind === 'contained') return { ...policy, writable: [], readable: policy.readable ?? [project] };
  throw new HubError('invalid_params', 'its role changes nothing, which only the sandbox can hold', {
    hint: 'leave out --no-sandbox',
  });
}

function launchPlace(
  {
    timeMs,
    instance,
    ...about
  }: Pick<LaunchPlace, 'cli' | 'program' | 'folders'> & Pick<AgentExchange, 'timeMs' | 'instance'>,
  { place: { tree }, policy, environment, project, role, role_description }: ExchangeParams,
): LaunchPlace {
  return {
    ...{ ...about, policy, environment: environment ?? {} },
    told: ({ workspace, context, messages }) => ({
      // So that this program, started inside, refuses to run models again.
      COGNITION_SESSION: tree,
      ...{ COGNITION_AGENT_ID: instance.id, COGNITION_AGENT_ROLE: role ?? 'default' },
      ...(role_description === null ? {} : { COGNITION_AGENT_ROLE_DESC: role_description }),
      ...{
        COGNITION_AGENT_INSTANCE: String(instance.number),
        COGNITION_SESSION_ID: tree,
        COGNITION_WORKSPACE: workspace,
      },
      ...{ COGNITION_SHARED_CONTEXT: context, COGNITION_MESSAGE_DIR: messages, COGNITION_PROJECT_ROOT: project },
      COGNITION_TIMEOUT_MINUTES: String(Math.ceil(timeMs / 60_000)),
    }),
  };
}

function cannotAsk({ name }: AgentCli): HubError {
  return new HubError('invalid_params', `${name} cannot ask before it acts, so it does not work at level ask`, {
    hint: 'let it work at level readonly, or at level minimal in the sandbox',
  });
}

function unknownAgent(name: string, { machine }: ExchangeParts): HubError {
  return new HubError('not_found', `there is no agent ${JSON.stringify(name)}`, {
    hint: `the agents are: ${knownAgents(machine.cognitionHome)
      .agents.map((cli) => cli.name)
      .join(', ')}`,
  });
}

function notInstalled({ name, executable, install }: AgentCli): HubError {
  return new HubError('not_found', `${name} is not installed: there is no ${executable} in your PATH`, {
    hint: `install it: ${install}`,
  });
}
