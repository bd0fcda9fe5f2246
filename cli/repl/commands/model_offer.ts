import type { Repl } from '../repl.js';

const WORDS = '1 demo · 2 a key · 3 notes only';
const LINES: Readonly<Record<string, string>> = { 1: '/model demo', 2: '/model --key', 3: '/model --none' };
const TYPED = 'Choose: /model demo, /model --key (where one goes), or write: what you write is kept as notes.';

/** Offers whoever has no key the demo, a key or notes; a key press answers, and so does writing something else. */
export async function offerModel({ front, conversation }: Repl): Promise<void> {
  if (!front.attended || conversation().isMade()) return;
  if (front.isAppendOnly) return front.show({ kind: 'note', text: TYPED });
  front.update({ choice: { words: WORDS, lines: LINES } });
}

export const NOTES_ONLY = 'What you write is kept as notes. /model chooses a model later.\n';

export const WHERE_KEYS_GO = `A key is in the environment that cognition is started in; it is stored nowhere:
  export ANTHROPIC_API_KEY=…    or OPENAI_API_KEY, GEMINI_API_KEY
or a command of yours prints it each time:
  cognition config set server.anthropic.key_command "pass show anthropic"
A model on this machine needs none: /model ollama/<name>
Leave with /quit, and come back with: cognition
`;

export const DEMO_SAID = '(it is no AI, only a few rules: say help)';
