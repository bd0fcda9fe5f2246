import { existsSync } from 'node:fs';
import { detach } from '../../../hub/base/detach.js';
import { environment } from '../../../hub/config/config.js';
import type { Context } from '../../command_line/command_context.js';
import { listOwnCommands } from '../../input/own_command.js';
import { lookFor } from '../../output/terminal_look.js';
import type { Look } from '../../render/look/look.js';
import { wideRuler } from '../../render/look/wide_ruler.js';
import { argumentSource } from '../commands/argument_candidates.js';
import { REPL_COMMANDS } from '../commands/chat_command_table.js';
import { fileLister } from '../editor/completion/file_list.js';
import { openFileSource } from '../editor/completion/file_source.js';
import type { Completion } from '../editor/completion/menu.js';
import { loadHistory } from '../editor/storage/history.js';
import type { AttentionOptions } from '../front/attention.js';
import type { ChatFront } from '../front/chat_front.js';
import { openTerminal } from '../terminal/open_terminal.js';
import { marksPastes, reflowOf } from '../terminal/terminal_names.js';
import { historyPath } from './drafts.js';
import { loadDrawing } from './lazy_renderers.js';
import { screenFront } from './screen.js';

/** Opens the terminal for a conversation. */
export async function openScreen(context: Context): Promise<ChatFront> {
  const base = await lookFor(context.screen, context.preferences, []);
  const look = (columns: number): Look => ({ ...base, width: columns, ruler: wideRuler, nowMs: Date.now() });
  const isInWords = context.preferences.get('wrap') === 'words';
  const { stdin, stdout } = process;
  const terminal = openTerminal({ stdin, stdout, ruler: wideRuler, reflow: reflowOf(environment) });
  const files = openFileSource(process.cwd(), {
    list: fileLister(context.client),
    changed: () => front.refresh(),
    now: Date.now,
  });
  const known = argumentSource({
    client: context.client,
    tree: () => front.tree(),
    changed: () => front.refresh(),
    nowMs: Date.now,
  });
  const commands = REPL_COMMANDS.map(({ name, summary, usage }) => ({
    name,
    detail: summary,
    takesArguments: usage !== '',
  }));
  const completion: Completion = {
    commands,
    files: files.find,
    exists: existsSync,
    arguments: known.find,
  };
  const front = screenFront({
    ...{ terminal, home: context.paths.home, look, completion, nowMs: Date.now },
    history: loadHistory(historyPath(context.paths.home)),
    drawing: loadDrawing(base.style, isInWords),
    isInWords,
    pager: context.preferences.get('pager'),
    attention: attentionOptions(context.preferences),
    marksPastes: marksPastes(environment),
  });
  return {
    ...front,
    attach(repl) {
      front.attach(repl);
      const own = async (): Promise<void> => {
        for (const { name, description: detail } of await listOwnCommands(repl)) {
          if (!commands.some((one) => one.name === name)) commands.push({ name, detail, takesArguments: true });
        }
      };
      // What cannot be listed is told when it is typed.
      detach(own(), () => undefined);
    },
    async close() {
      files.close();
      await front.close();
    },
  };
}

function attentionOptions({ get }: Context['preferences']): AttentionOptions {
  const how = (['bell', 'osc9'] as const).find((one) => one === get('notify')) ?? 'off';
  return { how, longMs: Number(get('notify.seconds')) * 1_000 };
}
