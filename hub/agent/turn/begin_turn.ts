import { createHash } from 'node:crypto';
import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { refuseWholeHome } from '../../config/home_as_project.js';
import { BashSessionId } from '../../protocol/methods/tool_methods.js';
import { type Node, NodeId, type Settings, type TreeId } from '../../protocol/node.js';
import type { Policy } from '../../protocol/policy.js';
import type { Level } from '../../protocol/turn.js';
import type { AgentParts } from '../agent_parts.js';
import { openRoom } from '../compaction/window_room.js';
import { openModelJobs } from '../jobs/model_jobs.js';
import { windowOf } from '../model/model_window.js';
import type { CallOther } from '../others/other_call.js';
import { callOther } from '../others/other_tools.js';
import { imageLoader } from '../request/load_image.js';
import { sentNodes, settingsOf } from '../request/model_context.js';
import { bindingOf, promptOf } from '../request/prompt.js';
import { GO_ON } from '../request/unanswered_request.js';
import { hasOthers, hasWeb, levelOf, settingsBefore, tellsProject, thinkingOf } from '../settings/settings.js';
import { refuseNesting, storeUnnestedSettings } from '../settings/sub_session_nesting.js';
import { openSubSessions, type SubSessionParts } from '../sub_sessions/sub_sessions.js';
import { keptPermissions } from '../tools/call_permissions.js';
import { createExecutor, type ExecutorParts, policyFor } from '../tools/executor.js';
import { type Approvals, approvalsIn } from '../tools/person_questions.js';
import { type ProjectContent, readProject } from '../tools/project_folders.js';
import { createProjectWatch } from '../tools/project_watch.js';
import { copyOf } from './copy_of_turn.js';
import { fallbackFor } from './fallback_model.js';
import { openJournal } from './journal.js';
import type { RunningTurn } from './running_turn.js';
import { accountOf, chooseModel, modelTarget, refuseUnknownPrice } from './turn_model.js';
import type { RunParams } from './turn_params.js';
import type { TurnWork } from './turn_work.js';

/** What a turn is begun with beside what its caller says; `run` begins its sub-sessions. */
export interface Beginning {
  reach: InternalCaller;
  parts: AgentParts;
  turn: RunningTurn;
  run: SubSessionParts['run'];
  /** Of a turn that is open already, and goes on from the node; null for one that begins. */
  resumed: { cwd: string | null; approvals: Omit<Approvals, 'mayAsk'> } | null;
}

/** Gathers what a turn needs and opens it. Nothing is written before it is known that a model can be asked. */
export async function beginTurn({ reach, parts, turn, run, resumed }: Beginning, params: RunParams): Promise<TurnWork> {
  const { tree, node, access, change, limits, grants } = params;
  const [path, { project: treeProject, owner }, place] = await Promise.all([
    sentNodes(reach, node),
    callHub(reach, 'loom.tree_get', { tree }),
    callHub(reach, 'loom.context_get_place', { node }),
    // What was begun before its place was archived goes on.
    resumed ?? callHub(reach, 'loom.node_check', { tree, node }),
  ]);
  const { current, bindings } = await settingsOf(reach, path);
  const previous = await settingsBefore(reach, { tree, current, change });
  await refuseNesting(reach, owner, change);
  const chosen = chooseModel({ previous, change, usual: params.usual_model, access });
  await refuseUnknownPrice(params, chosen);
  const content = await readProject(reach, {
    ...{ project: treeProject, branch: resumed?.cwd ?? place.model_cwd, caller: params.cwd },
    parts: tellsProject({ previous, change }) ? ['instructions', 'skills', 'environment'] : [],
  });
  refuseWholeHome(content.project, grants);
  const given = {
    ...{ previous, change, content, usualThinking: params.usual_thinking },
    ...{ usualModel: chosen.usualModel, records: chosen.records, others: parts.hasOthers() },
  };
  const store = (wanted: typeof given) => storeUnnestedSettings(reach, owner, wanted);
  const fallback = await fallbackFor({ reach, parts, turn }, params, { given, store });
  const settings = await store(given);
  bindings.set(settings.sha256, bindingOf(settings.settings));
  const sent = [...path.nodes];
  const start = await startOf(reach, { tree, node, sent, prompt: { current: settings.settings, bindings } });
  if (resumed === null) await callHub(reach, 'loom.turn_start', { id: turn.id, tree, node: start });
  const [level, web] = [levelOf(settings.settings), hasWeb(settings.settings)];
  const { model } = settings.settings;
  Object.assign(turn, { node: resumed === null ? start : turn.node, tip: start, model, level });
  if (resumed === null) tellStart(turn, content);
  const target = modelTarget(parts, chosen, params);
  const { project } = content;
  const [copy, isRoot] = [await copyOf(reach, turn, grants), turn.errand === null];
  const policy = policyFor({ level, grants, project, copy });
  const newWatch = () => createProjectWatch(reach, { turn, node: start, project, policy });
  const watch = newWatch().prepare();
  const approvals = await approvalsAt({ reach, tree, start, level }, resumed);
  return {
    ...{ reach, turn, settings, bindings, limits, watch, path: sent, cache: params.cache, fallback },
    ...{ ...target, timers: parts.timers, random: parts.random, sendsImages: true },
    room: openRoom(params.compact, () => windowOf(target, turn.signal)),
    newNodeId: () => NodeId.parse(parts.newId()),
    journal: openJournal(reach, turn.id),
    executor: createExecutor({
      ...{ reach, tree, level, web, grants, watch, project, copy },
      ...{ cwd: content.cwd, environment: params.environment },
      approvals: { ...approvals, mayAsk: isRoot },
      jobs: openModelJobs({ ...parts, reach, tree, turn: turn.id, newWatch }),
      ...openOthers(settings.settings, {
        ...{ reach, turn, params, project, agent: parts, run },
        ...{ model: chosen.model, thinking: thinkingOf(settings.settings), web },
      }),
      session: (policy) => sessionName(tree, policy),
    }),
    ...{ account: accountOf({ reach, parts, turn }, chosen.model), loadImage: imageLoader(reach) },
  };
}

/** What has others work for the turn. */
function openOthers(settings: Settings, parts: SubSessionParts): Pick<ExecutorParts, 'sessions' | 'callOther'> {
  const sessions = openSubSessions(parts);
  const { reach, project } = parts;
  const call: CallOther = (tool, of) => callOther({ reach, project, sessions }, tool, of);
  return { sessions, callOther: hasOthers(settings) ? call : null };
}

/** What a person has approved of the step that goes on, and at level `ask` on the path. */
async function approvalsAt(
  { reach, tree, start, level }: { reach: InternalCaller; tree: TreeId; start: NodeId; level: Level },
  resumed: Beginning['resumed'],
): Promise<Omit<Approvals, 'mayAsk'>> {
  const approvals = resumed?.approvals ?? approvalsIn([]);
  const kept = level === 'ask' ? await keptPermissions(reach, tree, start) : [];
  return { ...approvals, permissions: [...kept, ...approvals.permissions] };
}

function tellStart(turn: RunningTurn, { instructions, refused }: ProjectContent): void {
  const { id, tree, node, model, level } = turn;
  const files = instructions.map(({ path }) => path);
  const cut = instructions.flatMap((file) => (file.cut ? [file.path] : []));
  turn.emit({ kind: 'turn_started', turn: id, tree, node, model, level, instructions: files, cut, refused });
}

interface Starting {
  tree: TreeId;
  node: NodeId;
  sent: Node[];
  prompt: Parameters<typeof promptOf>[1];
}

/** Where the turn begins: at the node, or below it at a word that asks a model to go on with what it was saying. */
async function startOf(reach: InternalCaller, { tree, node, sent, prompt }: Starting): Promise<NodeId> {
  const last = promptOf(sent, prompt).messages.at(-1);
  if (last?.role === 'user') return node;
  if (last === undefined) {
    throw new HubError('invalid_params', 'nothing has been said here that a model could answer', {
      hint: ['add a message first: ', cliCommand('ask', '@', '"message"')],
    });
  }
  const blocks = [{ type: 'text' as const, text: GO_ON }];
  const made = await callHub(reach, 'loom.node_create_text', {
    ...{ id: undefined, tree, parent: node, role: 'user', blocks, settings: null },
  });
  sent.push(made.node);
  return made.node.id;
}

/** The same tree with the same policy has the same session, and in it the same /tmp. */
function sessionName(tree: TreeId, policy: Policy): BashSessionId {
  const digest = createHash('sha256')
    .update(JSON.stringify([tree, policy]))
    .digest('hex');
  return BashSessionId.parse(`session-${digest.slice(0, 32)}`);
}
