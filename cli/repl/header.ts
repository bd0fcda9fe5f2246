import { relative } from 'node:path';
import { HubError } from '../../hub/base/error.js';
import { holdsHome } from '../../hub/config/home_as_project.js';
import { shownFolder } from '../position/project_folder.js';
import { cleanLine } from '../render/text/clean.js';
import { offerModel } from './commands/model_offer.js';
import { reachOf } from './conversation/chat_turn_options.js';
import { hintInChat } from './conversation/hint_in_chat.js';
import type { Repl } from './repl.js';

/** Says what a person wants to know before they begin: who answers, and what that may do. The prompt does not wait for it. */
export async function showHeader(repl: Repl): Promise<void> {
  // What was said before ends without a blank line.
  const gap = repl.conversation().isMade() ? '\n' : '';
  const [model, ...others] = await Promise.all([modelLine(repl), sandboxLine(repl), instructionsLine(repl)]);
  const lines = [model.text, ...others];
  const text = [...lines.filter((line) => line !== null), 'Commands: /help'].join('\n');
  await repl.front.show({ kind: 'note', text: gap + text });
  if (!model.isChosen) await offerModel(repl);
}

interface ModelLine {
  text: string;
  /** False where no model was named and there is no key for any. */
  isChosen: boolean;
}

async function modelLine({ client, conversation, turnOptions, front }: Repl): Promise<ModelLine> {
  const here = conversation();
  const node = here.isMade() ? here.place.position() : null;
  try {
    const { model } = await client.call('agent.check', { node, ...reachOf(turnOptions) });
    front.update({ model });
    return { text: `Model: ${model}`, isChosen: true };
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    here.parts.toldModelless.add(error.message);
    return withoutModel(error);
  }
}

/** Why a model that somebody chose does not answer; where none is chosen the hint tells enough. */
function withoutModel({ kind, message, hint, details }: HubError): ModelLine {
  const isChosen = kind !== 'no_key' || details.provider !== undefined;
  const why = isChosen ? `: ${message}` : '';
  const next = hintInChat(hint ?? 'choose a model with: /model');
  const text = `Model: none, so messages are notes${why}.\n  ${next.charAt(0).toUpperCase()}${next.slice(1)}`;
  return { text, isChosen };
}

async function sandboxLine({ client, turnOptions, context }: Repl): Promise<string> {
  const { network, unsandboxed, whole_home } = turnOptions.grants;
  if (unsandboxed) return 'Sandbox: off. The commands of the model run as in your own shell.';
  if (!whole_home && holdsHome(context.project))
    return `No model works in ${cleanLine(context.project)}, which holds a home folder: go to a project, or say --here`;
  const { sandbox } = await client.call('tools.check', {});
  if (sandbox.kind !== 'none') {
    const isHome = whole_home && holdsHome(context.project);
    const what = isHome
      ? `${cleanLine(shownFolder(context.project))} but for secrets and hidden files, and no files follow the branch`
      : 'this project';
    return `Sandbox: ${sandbox.kind}; it may change ${what}, network ${network ? 'on' : 'off'}`;
  }
  const { level } = turnOptions.change;
  const isLooking = level === 'readonly' || level === 'plan';
  const what = isLooking ? 'the model can run no command' : 'each command asks you first';
  return `Sandbox: none works here, so ${what}. Why: cognition doctor`;
}

/** How many files are named before the rest is only counted. */
const FILES_NAMED = 3;

/** Which files of instructions the model is told; null when there are none. */
async function instructionsLine({ client, conversation, context, turnOptions }: Repl): Promise<string | null> {
  // Whoever brings a system prompt of their own leaves those out.
  if (typeof turnOptions.change.system_prompt === 'string') return null;
  const here = conversation();
  const node = here.isMade() ? here.place.position() : null;
  const cwd = process.cwd();
  const { files } = await client.call('agent.instructions_list', { node, project: context.project, cwd });
  if (files.length === 0) return null;
  for (const file of files) here.parts.toldFiles.add(file);
  const named = files.slice(0, FILES_NAMED).map((file) => cleanLine(nearPath(cwd, file)));
  const more = files.length > FILES_NAMED ? ` and ${files.length - FILES_NAMED} more` : '';
  return `Instructions: ${named.join(', ')}${more}`;
}

function nearPath(cwd: string, file: string): string {
  const near = relative(cwd, file);
  return near.startsWith('..') ? file : near;
}
