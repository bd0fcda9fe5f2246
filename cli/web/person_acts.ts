import { HubError } from '../../hub/base/error.js';
import type { Client } from '../../hub/client/client.js';
import { refuseWholeHome } from '../../hub/config/home_as_project.js';
import type { NodeId, Tree, TreeId } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { checkedMessage } from '../input/message.js';
import { namedImages } from '../input/named_images.js';
import { ownMessage } from '../input/own_command.js';
import { newNodeId, newTurnId } from '../position/ids.js';
import { shownFolder, workFolder } from '../position/project_folder.js';
import { remember } from '../position/remember.js';
import { answerChoice } from '../turn/answer_questions.js';
import { modelEnvironment } from '../turn/model_access.js';
import { checkTurn } from '../turn/run_turn.js';
import type { TurnOptions } from '../turn/turn_options.js';
import { aText, aTurn, type Params, placeIn } from './act_params.js';
import type { BegunTurns } from './begun_turns.js';

/** What a person does on a page, by the name of its method. */
export type PersonActs = Readonly<Record<string, (params: Params) => Promise<unknown>>>;

export interface ActsParts {
  context: Context;
  /** Those of every turn that a page begins: of the command line that serves it. */
  options: TurnOptions;
  turns: BegunTurns;
}

/** Does what a page asks as a command of the person's would: in this folder, with this environment and these keys. */
export function personActs(parts: ActsParts): PersonActs {
  const { context, turns } = parts;
  return {
    'page.say': (params) => say(parts, params),
    'page.steer': async (params) => {
      const { client, blocks } = await spoken(parts, aText(params, 'text'));
      await client.call('agent.steer', { turn: aTurn(params), blocks });
    },
    'page.stop': async (params) => {
      await (await context.client()).call('agent.stop', { turn: aTurn(params) });
    },
    'page.answer': async (params) => {
      const client = await context.client();
      const turn = aTurn(params);
      const { turns: running } = await client.call('agent.status', {});
      const found = running.find((one) => one.turn === turn);
      const question = found?.questions.find(({ id }) => id === params.question);
      if (found === undefined || question === undefined)
        throw new HubError('not_found', 'this question is not open any more');
      await treeHere(parts, client, found.tree);
      const { access, route, limits, grants } = parts.options;
      const answer = answerChoice(question, aText(params, 'text'));
      await turns.answer({ turn, call: question.id, answer, access, route, limits, grants, ...surroundings() });
    },
    'page.mark': async (params) => mark(await context.client(), params),
    'page.archive': async (params) => {
      await (await context.client()).call('loom.branch_archive', placeIn(params));
    },
  };
}

/** Appends the message and lets a model answer it. The message stays when nobody can. */
async function say(parts: ActsParts, params: Params): Promise<{ seq: number; branched: boolean }> {
  const { context, options, turns } = parts;
  const place = placeIn(params);
  const { client, blocks } = await spoken(parts, aText(params, 'text'));
  await treeHere(parts, client, place.tree);
  const { step_end: parent } = await client.call('loom.node_get', place);
  refuseWholeHome(context.project, options.grants);
  const { access, change, usual_model } = options;
  await checkTurn(context, { access, change, usual_model, node: parent });
  const message = { id: newNodeId(), tree: place.tree, parent, role: 'user' as const, blocks };
  const { node, branched } = await client.call('loom.node_create_text', message);
  const turn = newTurnId();
  const begun = turns.run({ id: turn, tree: place.tree, node: node.id, ...options, ...surroundings() });
  await remember(context, (session) => session.move(place.tree, node.id, turn));
  await begun;
  return { seq: node.seq, branched };
}

function surroundings() {
  return { cwd: process.cwd(), environment: modelEnvironment() };
}

/** The blocks of a message: a command of the person's own stands for its text, `@` files are shown, and nothing is run. */
async function spoken({ context }: ActsParts, text: string) {
  const client = await context.client();
  if (text.startsWith('!')) {
    throw new HubError('invalid_params', 'commands are run in the terminal, with ! in the chat or with exec');
  }
  const [, name, argument = ''] = /^\/([\w.:-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const own = name === undefined ? null : await ownMessage({ client, context }, name, argument.trim());
  const said = checkedMessage(own ?? text);
  return {
    client,
    blocks: [...(await namedImages(said, client, context.project)), { type: 'text' as const, text: said }],
  };
}

/** Models work where the process was started: a conversation of another folder is told so. */
async function treeHere({ context }: ActsParts, client: Client, id: TreeId): Promise<Tree> {
  const tree = await client.call('loom.tree_get', { tree: id });
  if (workFolder(tree, context.project) === context.project) return tree;
  const where = shownFolder(tree.project ?? '');
  throw new HubError(
    'approval_needed',
    `this conversation works in ${where}: open it there, with cognition web --write`,
  );
}

/** Names a node; an empty name takes its names away. */
async function mark(client: Client, params: Params): Promise<void> {
  const { tree, node } = placeIn(params);
  const name = aText(params, 'name').trim();
  if (name !== '') await client.call('loom.mark_set', { tree, node, name });
  else await unmark(client, { tree, node });
}

async function unmark(client: Client, { tree, node }: { tree: TreeId; node: NodeId }): Promise<void> {
  for await (const one of client.pages('loom.mark_list', { tree }, 'marks')) {
    if (one.node === node) await client.call('loom.mark_set', { tree, name: one.name, node: null });
  }
}
