import type { Client } from '../../../hub/client/client.js';
import { argumentSource } from '../commands/argument_candidates.js';
import { REPL_COMMANDS } from '../commands/chat_command_table.js';
import type { Completion } from '../editor/completion/menu.js';
import type { TypedHistory } from './typed_line.js';

interface CompletionParts {
  /** Null before there is one. */
  tree(): string | null;
  /** Called when new candidates have arrived. */
  changed(): void;
}

/** Completes commands after `:` and their arguments, as in the editor. */
export function completionFor(client: Client, { tree, changed }: CompletionParts): Completion {
  const source = argumentSource({
    ...{ client: async () => client, changed, nowMs: Date.now },
    tree: () => tree() ?? '',
  });
  return {
    commands: REPL_COMMANDS.map(({ name, summary, usage }) => ({
      name,
      detail: summary,
      takesArguments: usage !== '',
    })),
    files: () => [],
    arguments: source.find,
  };
}

// Entered lines outlive a viewer: they last as long as the chat.
const histories = new WeakMap<Client, TypedHistory>();

export function historyOf(client: Client): TypedHistory {
  const history = histories.get(client) ?? { '/': [], ':': [] };
  histories.set(client, history);
  return history;
}
