import { detach, neverFails } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import type { Tree, TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { newTreeId } from '../position/ids.js';
import { newestLeaf } from '../position/position.js';
import { rootOf } from '../position/reference.js';
import { shortId } from '../render/text/ids_and_counts.js';
import { listCommand } from './commands/cli_commands.js';
import { showLeaves } from './commands/leaves.js';
import { modelHere } from './commands/model_and_level.js';
import type { ChatTurnOptions } from './conversation/chat_turn_options.js';
import type { Opened } from './conversation/conversation.js';
import { failureOn, showFailure } from './conversation/conversation_parts.js';
import { createVerdict } from './conversation/exit_code.js';
import { openQuestion } from './conversation/open_question.js';
import { placeIn, showOpening } from './conversation/resume.js';
import { createRepl } from './create_repl.js';
import type { ChatFront } from './front/chat_front.js';
import { unrepeated } from './front/each_failure_once.js';
import type { Front, FrontAction } from './front/front.js';
import { showHeader } from './header.js';
import { tellHubLine } from './hub_status.js';
import { type LineQueue, takeLines } from './lines/line_queue.js';
import { isStopLine, stopByLine, stopRunning } from './lines/stop_line.js';
import { takeBack } from './lines/take_back.js';
import type { Repl } from './repl.js';

/** What a person begins a chat with. */
export interface ChatStart {
  /** Null for a new conversation. */
  tree: Tree | null;
  at: string | undefined;
  /** Whether the conversation is chosen from a list. */
  isChoosing: boolean;
  turnOptions: ChatTurnOptions;
  follow: Repl['follow'];
}

/** Ends of branches that are offered to who stands at the beginning. */
const LEAVES_SHOWN = 10;
const NEWEST_END =
  '(you have no place of your own here yet: this is the newest of several ends. The others: /leaves, then /switch <number>)';

/** Talks until the person leaves; resolves to the exit code. */
export async function chat(context: Context, shown: ChatFront, start: ChatStart): Promise<number> {
  const { front, begin: beginAction } = unrepeated(shown);
  const client = await context.client();
  const { turnOptions } = start;
  const verdict = createVerdict(!front.attended);
  let leave = (): void => undefined;
  const left = new Promise<null>((resolve) => {
    leave = () => resolve(null);
  });
  let hasBegun = false;
  const switchTo = async (id: TreeId | null): Promise<void> => {
    repl.listed = null;
    if (id === null) {
      turnOptions.change = { ...turnOptions.chosen };
      await open({ tree: newTreeId(), known: null }, null);
      return hasBegun ? showModel(repl) : undefined;
    }
    const tree = await client.call('loom.tree_get', { tree: id });
    await context.session.use(id, tree.project ?? context.project);
    await openAt({ tree, at: undefined });
    await showModel(repl);
    await chooseLeaf(repl, tree);
  };
  const created = createRepl({
    ...{ context, client, front, turnOptions, verdict, follow: start.follow },
    ...{ switchTo, leave },
  });
  const { repl } = created;
  const open = async (opened: Opened, tree: Tree | null): Promise<void> => {
    await showOpening(front, await created.open(opened), tree);
  };
  const openAt = async ({ tree, at }: { tree: Tree; at: string | undefined }): Promise<void> => {
    const { place, isGuessed } = await placeOrNewest(context, front, { tree, at });
    await open(place, tree);
    if (isGuessed) await front.show({ kind: 'note', text: NEWEST_END });
  };
  const opened = await begin(repl, start, async (tree) => {
    await context.session.use(tree.id, tree.project ?? context.project);
    await openAt({ tree, at: start.at });
  });
  hasBegun = true;
  shown.attach(repl);
  if (start.isChoosing) await listCommand.run('', repl);
  const forget = tellHubLine({ client, front, listen: () => repl.conversation().listen() });
  const code = await takeActions(repl, { left, begun: beginAction, ...opened });
  forget();
  await leaveWith(repl);
  return code;
}

/** Resolves when one may type; the header may still be under way. */
async function begin(
  repl: Repl,
  { tree }: ChatStart,
  resume: (tree: Tree) => Promise<void>,
): Promise<Pick<Attending, 'opened'>> {
  if (tree === null) await repl.open(null);
  else {
    await resume(tree);
    await chooseLeaf(repl, tree);
  }
  if (!repl.front.attended) return { opened: Promise.resolve() };
  const opened = showHeader(repl).catch((error: unknown) => showFailure(repl.front, error));
  if (repl.front.isAppendOnly) await opened;
  return { opened };
}

/** Puts the model that would answer here into the row at the bottom. The header does so for the first conversation. */
async function showModel(repl: Repl): Promise<void> {
  if (!repl.front.attended) return;
  const model = await modelHere(repl).catch((error: unknown) => {
    if (error instanceof HubError) return null; // the next message tells why
    throw error;
  });
  repl.front.update({ model });
}

/** Where it is not known where a person stands, they begin at the newest end; a script is refused. */
async function placeOrNewest(
  context: Context,
  front: Front,
  { tree, at }: { tree: Tree; at: string | undefined },
): Promise<{ place: Opened; isGuessed: boolean }> {
  try {
    return { place: await placeIn(context, tree, at), isGuessed: false };
  } catch (error) {
    if (!front.attended || !(error instanceof HubError && error.kind === 'ambiguous')) throw error;
    const newest = at === undefined ? await newestLeaf(context, tree) : null;
    if (newest === null) throw error;
    return {
      place: { tree: tree.id, known: { position: newest, following: null, seq: tree.last_seq } },
      isGuessed: true,
    };
  }
}

async function chooseLeaf(repl: Repl, tree: Tree): Promise<void> {
  if (!repl.front.attended || repl.conversation().place.position() !== rootOf(tree.id) || tree.node_count < 2) return;
  await repl.front.show({
    kind: 'note',
    text: 'You are at the beginning. These are the ends; go to one with: /switch <number>',
  });
  await showLeaves(repl, { archived: false, limit: LEAVES_SHOWN });
}

/** What ends a chat beside the end of its lines, and who is told that something is done. */
interface Attending {
  left: Promise<null>;
  begun(): void;
  /** Resolves when the first lines stand above. */
  opened: Promise<void>;
}

/** Does one line after the other; what stops something is done at once. */
async function takeActions(repl: Repl, { left, begun, opened }: Attending): Promise<number> {
  const { front, verdict } = repl;
  let hasLeft = false;
  detach(
    left.then(() => {
      hasLeft = true;
    }),
    neverFails,
  );
  const lines = takeLines(repl, { hasLeft: () => hasLeft, opened });
  const actions = front.actions(lines.idle);
  for (;;) {
    const next = await Promise.race([actions.next(), left]);
    if (next === null || next.done === true) break;
    const action = next.value;
    begun();
    const code = await takeAction(action, repl, lines);
    if (code !== null) return code;
  }
  // The last line may be the one that leaves.
  if (!hasLeft) await Promise.race([lines.idle(), left]);
  await noteOpenQuestion(repl);
  return verdict.code();
}

/** The exit code of an action that ends the chat; null for any other. */
async function takeAction(action: FrontAction, repl: Repl, lines: LineQueue): Promise<number | null> {
  const { front } = repl;
  switch (action.kind) {
    case 'leave':
      await lines.leave();
      return action.code;
    case 'take_back':
      await takeBack(repl, lines);
      return null;
    case 'stop':
      if (!front.attended) return endScript(repl, lines);
      detach(stopRunning(repl), failureOn(front));
      return null;
    case 'line':
    case 'refused':
      if (action.kind === 'line' && isStopLine(action.text)) await stopByLine(action.text, repl, lines);
      else await lines.take(action);
      return null;
  }
}

/** A signal ends a script: what runs is ended in order, and what would come next is left undone. */
async function endScript(repl: Repl, lines: LineQueue): Promise<number> {
  if (await stopRunning(repl)) await lines.idle();
  return EXIT.interrupted;
}

/** What nobody has answered when a script ends keeps its turn waiting. */
async function noteOpenQuestion({ client, conversation, front, verdict }: Repl): Promise<void> {
  if (front.attended || (await openQuestion(client, conversation())) === null) return;
  verdict.failed(EXIT.approval);
}

async function leaveWith({ conversation, front, turnOptions }: Repl): Promise<void> {
  const here = conversation();
  const isRunning = here.turns.current() !== null;
  await here.close();
  const id = shortId(here.place.tree);
  if (isRunning)
    await front.show({ kind: 'note', text: '(the turn goes on without you; come back to see what it comes to)' });
  if (turnOptions.transcriptFile !== null)
    await front.show({ kind: 'note', text: `Transcript: ${turnOptions.transcriptFile}` });
  const text = here.isMade()
    ? `Session saved. Resume with: cognition chat ${id}\n`
    : 'Nothing was said, so nothing is kept.\n';
  await front.show({ kind: 'text', text });
}
