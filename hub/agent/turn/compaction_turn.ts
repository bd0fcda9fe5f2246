import { HubError } from '../../base/error.js';
import { cliCommand } from '../../base/hint.js';
import { callHub, type InternalCaller, pathPages } from '../../base/internal_call.js';
import { textOf } from '../../base/node_blocks.js';
import { type Node, NodeId, type Settings, type TreeId, type TurnId } from '../../protocol/node.js';
import type { TurnOutcome } from '../../protocol/turn.js';
import type { AgentParts } from '../agent_parts.js';
import { type CompactionWork, canShrink, compactPath } from '../compaction/compact_path.js';
import { newestMeasure } from '../estimate/counted_usage.js';
import { pathTokens } from '../estimate/token_estimate.js';
import { formatModelName } from '../model/model_names.js';
import { windowOf } from '../model/model_window.js';
import { imageLoader } from '../request/load_image.js';
import { sentNodes, settingsOf } from '../request/model_context.js';
import { firstSettings, levelOf } from '../settings/settings.js';
import { failedEnd, stopEnd } from './loop.js';
import type { RunningTurn } from './running_turn.js';
import { accountOf, chooseModel, modelTarget } from './turn_model.js';
import type { CompactParams } from './turn_params.js';
import type { TurnEnd, TurnWork } from './turn_work.js';

/** How many of the newest turns are looked at for the one that ended where a path ends. */
const TURNS_MAX = 200;

/** A turn that does nothing but summarise its path. */
export interface CompactionTurn extends CompactionWork, Pick<TurnWork, 'limits'> {
  instructions: string | null;
  window: number | null;
  isCutOff: boolean;
  branch: string | null;
}

/** Gathers what is needed to summarise a path, and opens a turn for it. Nothing is written when there is nothing to summarise. */
export async function beginCompaction(
  { reach, parts, turn }: { reach: InternalCaller; parts: AgentParts; turn: RunningTurn },
  params: CompactParams,
): Promise<CompactionTurn> {
  const { tree, access, change, instructions } = params;
  const { step_end: end } = await callHub(reach, 'loom.node_get', { node: params.node, tree });
  const sent = await sentNodes(reach, end);
  const { current, bindings } = await settingsOf(reach, sent);
  const previous = current ?? (await firstSettings(reach, tree));
  const chosen = chooseModel({ previous, change, usual: params.usual_model, access });
  const { node, path, branch } = await whatToSummarise(reach, params, { end, nodes: sent.nodes });
  const model = formatModelName(chosen.model);
  const isCutOff = branch === null && (await wasCutOff(reach, tree, end));
  await callHub(reach, 'loom.turn_start', { id: turn.id, tree, node });
  const level = levelOf(previous);
  Object.assign(turn, { node, tip: node, model, level });
  turn.emit({ kind: 'turn_started', turn: turn.id, tree, node, model, level, instructions: [], cut: [], refused: [] });
  const target = modelTarget(parts, chosen, params);
  return {
    ...{ reach, turn, bindings, instructions, path, branch, cache: params.cache, sendsImages: true },
    settings: { settings: { ...(previous ?? NO_SETTINGS), model } },
    ...{ ...target, timers: parts.timers, random: parts.random, loadImage: imageLoader(reach) },
    account: accountOf({ reach, parts, turn }, chosen.model),
    limits: { iterations: null, tokens: null, cost_microdollars: null, cost_shared: false, time_ms: null },
    window: await windowOf(target, turn.signal),
    isCutOff,
  };
}

/** Where the summary goes, the nodes that it is of, and the first line of one of a branch. */
async function whatToSummarise(
  reach: InternalCaller,
  { tree, into }: CompactParams,
  { end, nodes }: { end: NodeId; nodes: Node[] },
): Promise<{ node: NodeId; path: Node[]; branch: string | null }> {
  if (into === null) {
    if (!canShrink(nodes)) throw nothingToSummarise(nodes.length > 0);
    return { node: end, path: nodes, branch: null };
  }
  const { step_end: node } = await callHub(reach, 'loom.node_get', { node: into, tree });
  const shared = new Set<NodeId>();
  for await (const page of pathPages(reach, node)) for (const { id } of page.nodes) shared.add(id);
  const path = nodes.filter(({ id }) => !shared.has(id));
  if (path.length === 0) {
    const message = `nothing is left behind: ${end.slice(0, 8)} is on the path to ${node.slice(0, 8)}`;
    throw new HubError('invalid_params', message, { hint: 'name a node that is not below where you stand' });
  }
  const size = path.length === 1 ? '1 node' : `${path.length} nodes`;
  return { node, path, branch: `Summary of the branch that ends at ${end.slice(0, 8)} (${size}), which was left:` };
}

/** Whether the turn that came to its end at a node did so before its answer was whole; one that added nothing does not count. */
async function wasCutOff(reach: InternalCaller, tree: TreeId, node: NodeId): Promise<boolean> {
  const { turns } = await callHub(reach, 'loom.turn_list', { tree, cursor: null, limit: TURNS_MAX });
  const last = turns.find(({ node: from, tip }) => tip === node && from !== node);
  return last !== undefined && last.state !== 'done';
}

/** Where nobody has asked a model yet, there is no more than the path. */
const NO_SETTINGS: Settings = { system_prompt: '', tools: [], level: '', model: '', thinking: 'off' };

/** Summarises the path; the summary has the id of the turn, so that a retry finds it. */
export async function runCompaction(work: CompactionTurn): Promise<TurnEnd> {
  const { reach, turn, path, settings, instructions, window, isCutOff, branch } = work;
  // What a server counted is a count of all the path.
  const measure = branch === null ? await newestMeasure(reach, turn.tree, path) : null;
  const tokens = pathTokens(path, { measure, prefix: settings.settings });
  const id = NodeId.parse(turn.id);
  const compacted = await compactPath(work, { id, instructions, window, tokens, isCutOff, branch });
  if (compacted instanceof HubError) return stopEnd(turn) ?? failedEnd(compacted);
  return { state: 'done', why: 'answered', failure: null };
}

function nothingToSummarise(isShort: boolean): HubError {
  const message = isShort ? 'there is nothing to summarise since the last summary' : 'nothing has been said here yet';
  return new HubError('invalid_params', isShort ? message : `${message}: there is nothing to summarise`, {
    hint: ['go on with the conversation first: ', cliCommand('ask', '@', '"message"')],
  });
}

/** The outcome of a compaction that ended before, with the text of its summary, which has the turn's own id. */
export async function withSummary(reach: InternalCaller, outcome: TurnOutcome): Promise<TurnOutcome> {
  if (!isSummaryOf(outcome.turn, outcome.tip)) return outcome;
  const { node } = await callHub(reach, 'loom.node_get', { node: outcome.tip, tree: outcome.tree });
  return { ...outcome, text: textOf(node.blocks) };
}

/** Whether a node is what a compaction of its own came to. */
export function isSummaryOf(turn: TurnId, node: NodeId): boolean {
  return NodeId.parse(turn) === node;
}
