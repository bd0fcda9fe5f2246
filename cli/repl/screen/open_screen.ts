import { existsSync } from 'node:fs';
import { environment } from '../../../hub/config/config.js';
import type { Context } from '../../command_line/command_context.js';
import { lookFor } from '../../output/terminal_look.js';
import type { Look } from '../../render/look/look.js';
import { wideRuler } from '../../render/look/wide_ruler.js';
import { argumentSource } from '../commands/argument_candidates.js';
import { REPL_COMMANDS } from '../commands/chat_command_table.js';
import { openFileSource } from '../editor/completion/file_source.js';
import type { Completion } from '../editor/completion/menu.js';
import { loadHistory } from '../editor/storage/history.js';
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
  const { stdin, stdout } = process;
  const terminal = openTerminal({ stdin, stdout, ruler: wideRuler, reflow: reflowOf(environment) });
  const files = openFileSource(process.cwd(), { changed: () => front.refresh(), now: Date.now });
  const known = argumentSource({
    client: context.client,
    tree: () => front.tree(),
    changed: () => front.refresh(),
    nowMs: Date.now,
  });
  const completion: Completion = {
    commands: REPL_COMMANDS.map(({ name, summary, usage }) => ({
      name,
      detail: summary,
      takesArguments: usage !== '',
    })),
    files: files.find,
    exists: existsSync,
    arguments: (command, words) => known.find(command, words),
  };
  const front = screenFront({
    ...{ terminal, home: context.paths.home, look, completion, nowMs: Date.now },
    history: loadHistory(historyPath(context.paths.home)),
    drawing: loadDrawing(base.style, context.preferences.get('wrap')),
    marksPastes: marksPastes(environment),
  });
  return {
    ...front,
    async close() {
      files.close();
      await front.close();
    },
  };
}
