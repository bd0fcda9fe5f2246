import type { Client } from '../../hub/client/client.js';
import type { NodeId, Settings, Sha256 } from '../../hub/protocol/node.js';
import type { Context } from '../command_line/command_context.js';
import { ask, canAsk } from '../input/ask_person.js';
import { cleanLine } from '../render/text/clean.js';
import { formatNumber } from '../render/text/ids_and_counts.js';

/** Before a turn: what a file says to its model is used only when the person has seen it and said so. */
export async function askAboutSettings(context: Context, node: NodeId): Promise<void> {
  const client = await context.client();
  const { untrusted } = await client.call('loom.context_get_settings', { node });
  if (untrusted === null) return;
  const { settings } = await client.call('loom.settings_get', { sha256: untrusted });
  const what = `settings that came with a file: ${summaryOf(settings)}`;
  if (!canAsk(context)) {
    context.note(`Not used are the ${what}. To use them: cognition import <file> --trust-settings`);
    return;
  }
  context.note(`There are ${what}, and this system prompt:\n\n${settings.system_prompt}\n`);
  if (settings.tools.length > 0)
    context.note(`It describes its tools so:\n\n${JSON.stringify(settings.tools, null, 2)}\n`);
  const answer = await ask(context, 'Use them? Else a model here is told what is usual. [y/N]');
  if (/^y(es)?$/i.test(answer)) await client.call('loom.settings_trust', { sha256: untrusted });
}

/** The settings among these that are not used yet. */
export async function untrustedAmong(client: Client, settings: readonly Sha256[]): Promise<Sha256[]> {
  const found = await Promise.all(settings.map((sha256) => client.call('loom.settings_get', { sha256 })));
  return settings.filter((_, at) => found[at]?.untrusted === true);
}

function summaryOf({ model, level, thinking, system_prompt: prompt }: Settings): string {
  const parts = [`model ${model}`, `level ${level}`, `thinking ${JSON.stringify(thinking)}`];
  return cleanLine(`${parts.join(', ')}, a system prompt of ${formatNumber(prompt.length)} characters`);
}
