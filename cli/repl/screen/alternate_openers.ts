import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import { workFolder } from '../../position/project_folder.js';
import { REPL_COMMANDS } from '../commands/chat_command_table.js';
import { editPlan, switchPlanning } from '../commands/plan.js';
import { switchNetwork } from '../commands/switch_network.js';
import { switchThinking } from '../commands/thinking.js';
import type { Repl } from '../repl.js';
import type { ViewerEnd } from '../viewer/viewer_state.js';
import type { AlternateName, AlternateParts, OpenScreen } from './alternate_parts.js';
import { copied } from './clipboard.js';
import { statusRow } from './status_row.js';

/** The parameters of a view on the alternate screen. */
export interface OpenerParts extends AlternateParts {
  repl: Repl;
}

/** Each is loaded when it is first opened. */
export const OPENERS: Record<AlternateName, (parts: OpenerParts) => Promise<OpenScreen>> = {
  viewer: (parts) => viewer(parts, false),
  last_call: (parts) => viewer(parts, true),
  navigator,
  agents,
  conversations,
};

async function viewer(parts: OpenerParts, atLastCall: boolean): Promise<OpenScreen> {
  const { repl, terminal, look, status } = parts;
  const { openViewer } = await import('../viewer/viewer.js');
  const opened = await openViewer({
    ...{ client: repl.client, terminal, look, copy: (text) => copied(terminal, text), atLastCall },
    modes: () => ({ network: status().network, isPlanning: status().activity === 'Plan', thinking: status().thinking }),
    position: () => (repl.conversation().isMade() ? repl.conversation().place.position() : null),
    status: (mode, inks) => statusRow(status(), mode, inks),
    commands: REPL_COMMANDS.map(({ name }) => name),
    async act(action) {
      if (action === 'network') return switchNetwork(repl);
      if (action === 'thinking') return switchThinking(repl);
      return action === 'plan' ? switchPlanning(repl) : editPlan(repl);
    },
  });
  return { ...opened, end: opened.end.then((end) => ended(end, parts)) };
}

function ended(end: ViewerEnd, { say }: OpenerParts): AlternateName | null {
  if (end.kind === 'line') say(end.line);
  return end.kind === 'navigator' || end.kind === 'agents' ? end.kind : null;
}

async function navigator(parts: OpenerParts): Promise<OpenScreen> {
  const { repl, terminal, look, status, say, replace, hint, type } = parts;
  const { place, isMade } = repl.conversation();
  if (!isMade()) {
    hint('There is no tree yet: say something first.');
    return { take: () => 'unknown', leave: () => undefined, changed: () => undefined, end: Promise.resolve(null) };
  }
  const { openNavigator } = await import('../navigator/navigator.js');
  const { createFileCounts } = await import('../navigator/file_counts.js');
  const record = await repl.client.call('loom.tree_get', { tree: place.tree });
  const { name, title } = record;
  const tree = { id: place.tree, title: name ?? (title === '' ? status().name : title) };
  const project = workFolder(record, repl.context.project);
  const about = { client: repl.client, position: place.position };
  const onCounted = () => terminal.redrawScreen();
  const counts = repl.follow === 'no' ? null : createFileCounts({ ...about, tree: place.tree, project, onCounted });
  const opened = await openNavigator({ ...about, tree, counts, terminal, look, type });
  const end = opened.end.then((went) => {
    if (went === null) return null;
    say(`/goto ${went.node}`);
    if (went.edit !== null) replace(went.edit);
    return null;
  });
  return { take: opened.take, leave: opened.leave, changed: opened.treeChanged, end };
}

async function agents({ repl, terminal, look }: OpenerParts): Promise<OpenScreen> {
  const { openAgents } = await import('../agents/agents_panel.js');
  const { tree } = repl.conversation().place;
  return openAgents({ client: repl.client, tree, terminal, look, nowMs: Date.now });
}

async function conversations({ repl, terminal, look, say }: OpenerParts): Promise<OpenScreen> {
  const { openPicker } = await import('../picker/picker.js');
  const { client, context, conversation } = repl;
  const current = conversation().isMade() ? conversation().place.tree : null;
  const position = (tree: TreeId): NodeId | undefined => context.session.read().trees[tree]?.node;
  const { project } = context;
  const opened = await openPicker({ client, project, current, position, terminal, look });
  const end = opened.end.then((choice) => {
    if (choice !== null && choice.tree !== current) say(`/use ${choice.isElsewhere ? '--there ' : ''}${choice.tree}`);
    return null;
  });
  return { take: opened.take, leave: opened.leave, changed: () => undefined, end };
}
