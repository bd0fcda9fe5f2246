import type { Client } from '../../hub/client/client.js';
import type { NodeId, Settings, Sha256 } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { ask, canAsk } from '../input/ask_person.js';
import { cleanLine } from '../render/text/clean.js';
import { cut } from '../render/text/cut.js';
import { count, formatNumber } from '../render/text/ids_and_counts.js';

/** Before a turn: what a file says to its model is used only when the person has seen it and said so. */
export async function askAboutSettings(context: Context, node: NodeId): Promise<void> {
  const client = await context.client();
  const { untrusted } = await client.call('loom.context_get_settings', { node });
  if (untrusted === null) return;
  const { settings } = await client.call('loom.settings_get', { sha256: untrusted });
  const what = `settings that came with a file: ${summaryOf(settings)}`;
  if (!canAsk(context)) {
    context.note(
      `Not used are the ${what}. To use them: cognition chat on a terminal asks you; of a file also: cognition import <file> --trust-settings`,
    );
    return;
  }
  context.note(await shortText(context, settings));
  let answer = await ask(context, `${QUESTION} [y/N, s shows all of it]`);
  if (/^s/i.test(answer)) {
    context.note(wholeText(settings));
    answer = await ask(context, `${QUESTION} [y/N]`);
  }
  if (/^y(es)?$/i.test(answer)) await client.call('loom.settings_trust', { sha256: untrusted });
}

const QUESTION = 'Use them? Else a model here is told what is usual.';

/** How much of a system prompt tells what kind of one it is. */
const PROMPT_LINES = 3;

/** What they say, in a few lines. */
async function shortText(context: Context, settings: Settings): Promise<string> {
  const { system_prompt: prompt, tools } = settings;
  const look = await context.look([]);
  const lines = prompt.split('\n').filter((line) => line.trim() !== '');
  const begin = lines.slice(0, PROMPT_LINES).map((line) => cut(`  | ${cleanLine(line)}`, look.width, look));
  const more = lines.length > PROMPT_LINES ? [`  | (${count(lines.length - PROMPT_LINES, 'line')} more)`] : [];
  const named = tools.map((tool) => cleanLine(String(Reflect.get(Object(tool), 'name'))));
  const toolLine = named.length === 0 ? 'no tools' : `${count(named.length, 'tool')}: ${named.join(', ')}`;
  return [`Settings came with this conversation: ${summaryOf(settings)}`, ...begin, ...more, `and ${toolLine}`].join(
    '\n',
  );
}

function wholeText({ system_prompt: prompt, tools }: Settings): string {
  const described = tools.length === 0 ? '' : `\nThe tools are described so:\n\n${JSON.stringify(tools, null, 2)}\n`;
  return `The system prompt:\n\n${prompt}\n${described}`;
}

/** The settings among these that are not used yet. */
export async function untrustedAmong(client: Client, settings: readonly Sha256[]): Promise<Sha256[]> {
  const found = await Promise.all(settings.map((sha256) => client.call('loom.settings_get', { sha256 })));
  return settings.filter((_, at) => found[at]?.untrusted === true);
}

function summaryOf({ model, level, thinking, system_prompt: prompt }: Settings): string {
  const parts = [
    `model ${model}`,
    `level ${level}`,
    `thinking ${typeof thinking === 'string' ? thinking : JSON.stringify(thinking)}`,
  ];
  return cleanLine(`${parts.join(', ')}, a system prompt of ${formatNumber(prompt.length)} characters`);
}
