import { detach, neverFails } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { environment } from '../../hub/config/config.js';
import type { NodeId, Tree } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { treeToWorkIn } from '../input/other_folder.js';
import { streamSink } from '../output/sink.js';
import { knownPosition, newestLeaf, positionOf } from '../position/position.js';
import { rootOf } from '../position/reference.js';
import { plainStyle } from '../render/look/style.js';
import { askAboutSettings } from '../turn/settings_from_file.js';
import { noteUnsandboxed, type TurnOptions } from '../turn/turn_options.js';
import { chat } from './chat.js';
import { chatTurnOptions } from './conversation/chat_turn_options.js';
import { hintInChat } from './conversation/hint_in_chat.js';
import type { ChatFront } from './front/chat_front.js';
import { plainFront } from './front/plain_front.js';
import type { Repl } from './repl.js';

/** What the command line says of a chat. */
export interface ChatWords {
  tree: string | undefined;
  at: string | undefined;
  wanted: TurnOptions;
  isAccessible: boolean;
  isThere: boolean;
  /** Whether the conversation is chosen from a list. */
  isChoosing: boolean;
  /** Whether files come along to other nodes; null when the preference decides. */
  follows: boolean | null;
}

/** Opens a chat on whatever there is to show it on. */
export async function runChat(context: Context, words: ChatWords): Promise<number> {
  if (context.json) {
    throw new HubError('invalid_params', 'chat has no JSON form', {
      hint: ['for programs: ', cliCommand('ask', '--json')],
    });
  }
  const { tree: reference, at, wanted } = words;
  if (reference === undefined && at !== undefined) {
    throw new HubError('invalid_params', '--at needs a tree', { hint: [cliCommand('chat', '@', '--at', '<node>')] });
  }
  if (reference !== undefined && words.isChoosing) {
    throw new HubError('invalid_params', '--list chooses the conversation, so that no tree is named', {
      hint: [cliCommand('chat', '--list')],
    });
  }
  const tree = reference === undefined ? null : await treeToWorkIn(context, reference, words.isThere);
  if (tree !== null) await askAboutSettings(context, await placeFor(context, tree, at));
  if (words.isChoosing && !isAttended(context)) {
    throw new HubError('invalid_params', 'to choose from a list one needs a terminal', { hint: [cliCommand('list')] });
  }
  const front = await frontFor(context, words.isAccessible || isSaid('ACCESSIBLE'));
  try {
    const note: typeof context.note = (hint) =>
      detach(front.show({ kind: 'note', text: hintInChat(hint) }), neverFails);
    noteUnsandboxed({ ...context, note }, wanted);
    const follow = followWord(context, words.follows, front.attended);
    return await chat(context, front, {
      tree,
      at,
      isChoosing: words.isChoosing,
      turnOptions: chatTurnOptions(wanted),
      follow,
    });
  } finally {
    await front.close();
  }
}

/** Nobody who could be asked sits before a script, so that its files stay unless it says so. */
function followWord({ preferences }: Context, follows: boolean | null, attended: boolean): Repl['follow'] {
  if (follows !== null) return follows ? 'yes' : 'no';
  const preferred = preferences.get('files.follow');
  if (!attended || preferred === 'no') return 'no';
  return preferred === 'ask' ? 'ask' : 'yes';
}

/** Where the chat begins. */
async function placeFor(context: Context, tree: Tree, at: string | undefined): Promise<NodeId> {
  if (at !== undefined) return positionOf(context, tree, at);
  const known = await knownPosition({ ...context, note: () => undefined }, tree);
  return known ?? (await newestLeaf(context, tree)) ?? rootOf(tree.id);
}

async function frontFor(context: Context, isAccessible: boolean): Promise<ChatFront> {
  const attended = isAttended(context);
  const isPlain = isAccessible || !attended || environment('TERM') === 'dumb';
  if (!isPlain) return (await import('./screen/open_screen.js')).openScreen(context);
  return plainFront({
    input: process.stdin,
    out: context.out,
    err: streamSink(process.stderr),
    look: { ...(await context.look([])), style: plainStyle },
    // Without colours labels tell who speaks.
    style: { labelled: isAccessible || attended, echoed: attended },
    attended,
  });
}

function isAttended({ screen }: Context): boolean {
  return process.stdin.isTTY === true && screen.isTty;
}

/** Whether a variable says yes. */
function isSaid(variable: string): boolean {
  const value = environment(variable) ?? '';
  return value !== '' && value !== '0';
}
