import { createHash } from 'node:crypto';
import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller } from '../../base/internal_call.js';
import { BashSessionId } from '../../protocol/methods/tool_methods.js';
import { type Node, NodeId, type TreeId } from '../../protocol/node.js';
import type { Policy } from '../../protocol/policy.js';
import type { AgentParts } from '../agent_parts.js';
import { openRoom } from '../compaction/window_room.js';
import { windowOf } from '../model/price_table.js';
import { imageLoader } from '../request/load_image.js';
import { sentNodes, settingsOf } from '../request/model_context.js';
import { promptOf } from '../request/prompt.js';
import { GO_ON } from '../request/unanswered_request.js';
import { levelOf, settingsBefore, thinkingOf } from '../settings/settings.js';
import { refuseNesting, storeUnnestedSettings } from '../settings/sub_session_nesting.js';
import { openSubSessions, type SubSessionParts } from '../sub_sessions/sub_sessions.js';
import { createExecutor } from '../tools/executor.js';
import { type Approvals, approvalsIn } from '../tools/person_questions.js';
import { workplaceOf } from '../tools/project_folders.js';
import { openJournal } from './journal.js';
import type { RunningTurn } from './running_turn.js';
import { accountOf, chooseModel, providerOf, refuseUnknownPrice } from './turn_model.js';
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
  ]);
  const { current, models } = await settingsOf(reach, path);
  const previous = await settingsBefore(reach, { tree, current, change });
  await refuseNesting(reach, owner, change);
  const chosen = chooseModel({ previous, change, usual: params.usual_model, access });
  await refuseUnknownPrice(params, chosen);
  const workplace = await workplaceOf({ treeProject, branchCwd: resumed?.cwd ?? place.cwd, callerCwd: params.cwd });
  const instructions: string[] = [];
  const settings = await storeUnnestedSettings(reach, owner, {
    ...{ previous, change, usualModel: chosen.usualModel },
    folders: {
      ...workplace,
      home: parts.home,
      userHome: parts.userHome,
      onRead: (path) => void instructions.push(path),
    },
  });
  models.set(settings.sha256, settings.settings.model);
  const sent = [...path.nodes];
  const start = await startOf(reach, { tree, node, sent, prompt: { current: settings.settings, models } });
  if (resumed === null) await callHub(reach, 'loom.turn_start', { id: turn.id, tree, node: start });
  const level = levelOf(settings.settings);
  Object.assign(turn, {
    node: resumed === null ? start : turn.node,
    tip: start,
    model: settings.settings.model,
    level,
  });
  if (resumed === null)
    turn.emit({ kind: 'turn_started', turn: turn.id, tree, node: start, model: turn.model, level, instructions });
  const { key, baseUrl } = chosen.access;
  return {
    ...{ reach, turn, settings, models, limits, path: sent },
    ...{ model: chosen.model, access: { key, baseUrl }, provider: providerOf(parts, chosen.model) },
    ...{ timers: parts.timers, random: parts.random },
    room: openRoom(params.compact, () => windowOf({ ...chosen.model, baseUrl }, params.window)),
    newNodeId: () => NodeId.parse(parts.newId()),
    journal: openJournal(reach, turn.id),
    executor: createExecutor({
      ...{ reach, tree, level, grants, project: workplace.project, cwd: workplace.cwd, home: parts.home },
      environment: params.environment,
      approvals: { ...(resumed?.approvals ?? approvalsIn([])), mayAsk: turn.errand === null },
      sessions: openSubSessions({
        ...{ reach, turn, params, project: workplace.project, agent: parts, run },
        ...{ model: chosen.model, thinking: thinkingOf(settings.settings) },
      }),
      session: (policy) => sessionName(tree, policy),
    }),
    account: accountOf({ reach, parts, turn }, { ...chosen.model, baseUrl }),
    loadImage: imageLoader(reach),
  };
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
  if (last?.role === 'user') return sent.at(-1)?.id ?? node;
  if (last === undefined) {
    throw new HubError('invalid_params', 'nothing has been said here that a model could answer', {
      hint: ['add a message first: ', cliCommand('ask', '@', '"message"')],
    });
  }
  const blocks = [{ type: 'text' as const, text: GO_ON }];
  const parent = sent.at(-1)?.id ?? node;
  const made = await callHub(reach, 'loom.node_create_text', {
    ...{ id: undefined, tree, parent, role: 'user', blocks, settings: null },
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
