import { detach, neverFails } from '../../hub/base/detach.js';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { environment } from '../../hub/config/config.js';
import type { Context } from '../command_line/command_context.js';
import { streamSink } from '../output/sink.js';
import { findTree } from '../position/reference.js';
import { plainStyle } from '../render/look/style.js';
import { noteUnsandboxed, type TurnOptions } from '../turn/turn_options.js';
import { chat } from './chat.js';
import { chatTurnOptions } from './conversation/chat_turn_options.js';
import { hintInChat } from './conversation/hint_in_chat.js';
import type { ChatFront } from './front/chat_front.js';
import { plainFront } from './front/plain_front.js';

/** What the command line says of a chat. */
export interface ChatWords {
  tree: string | undefined;
  at: string | undefined;
  wanted: TurnOptions;
  isAccessible: boolean;
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
  const tree = reference === undefined ? null : await findTree(context, reference, 'read');
  const front = await frontFor(context, words.isAccessible || isSaid('ACCESSIBLE'));
  try {
    const note: typeof context.note = (hint) =>
      detach(front.show({ kind: 'note', text: hintInChat(hint) }), neverFails);
    noteUnsandboxed({ ...context, note }, wanted);
    return await chat(context, front, { tree, at, turnOptions: chatTurnOptions(wanted) });
  } finally {
    await front.close();
  }
}

async function frontFor(context: Context, isAccessible: boolean): Promise<ChatFront> {
  const attended = process.stdin.isTTY === true && context.screen.isTty;
  const isPlain = isAccessible || !attended || environment('TERM') === 'dumb';
  if (!isPlain) return (await import('./screen/open_screen.js')).openScreen(context);
  return plainFront({
    input: process.stdin,
    out: context.out,
    err: streamSink(process.stderr),
    look: { ...(await context.look([])), style: plainStyle },
    style: { labelled: isAccessible, echoed: attended },
    attended,
  });
}

/** Whether a variable says yes. */
function isSaid(variable: string): boolean {
  const value = environment(variable) ?? '';
  return value !== '' && value !== '0';
}
