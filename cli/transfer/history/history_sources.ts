import { join } from 'node:path';
import { environment, userHome } from '../../../hub/config/config.js';
import { readChatgpt } from '../../../tools/agents/history/chatgpt_history.js';
import { readClaude } from '../../../tools/agents/history/claude_history.js';
import { readCodex } from '../../../tools/agents/history/codex_history.js';
import { readGemini } from '../../../tools/agents/history/gemini_history.js';
import type { History } from '../../../tools/agents/history/history.js';
import { readOpencode } from '../../../tools/agents/history/opencode_history.js';
import { readPi } from '../../../tools/agents/history/pi_history.js';

/** A program whose sessions can be read. */
export interface HistorySource {
  name: string;
  /** The folder in which it keeps them; null where they must be named. */
  folder(): string | null;
  /** What a person does who has none there. */
  missing: string;
  /** The names of the files of sessions, with their ids; all others are not read. */
  file: RegExp;
  /** Whether a file, by the names that lead to it, is of an agent that a session has started. */
  isAgent(names: readonly string[]): boolean;
  read(records: AsyncIterable<unknown>, end?: number): AsyncIterable<History>;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const SOURCES: readonly HistorySource[] = [
  {
    name: 'claude',
    folder: () => join(environment('CLAUDE_CONFIG_DIR') ?? join(userHome(), '.claude'), 'projects'),
    missing: 'Claude Code keeps its sessions below ~/.claude/projects',
    file: new RegExp(`^(?:agent-)?(${UUID}|[0-9a-f]{8,40})\\.jsonl$`),
    isAgent: (names) => names.at(-2) === 'subagents',
    read: readClaude,
  },
  {
    name: 'codex',
    folder: () => environment('CODEX_HOME') ?? join(userHome(), '.codex'),
    missing: 'Codex keeps its sessions below ~/.codex/sessions',
    file: new RegExp(`^rollout-.*?(${UUID})\\.jsonl$`),
    isAgent: () => false,
    read: readCodex,
  },
  {
    name: 'gemini',
    folder: () => join(userHome(), '.gemini', 'tmp'),
    missing: 'Gemini CLI keeps its sessions below ~/.gemini/tmp',
    file: new RegExp(`^(?:session-.*|(${UUID}))\\.jsonl?$`),
    isAgent: (names) => names.at(-3) === 'chats',
    read: readGemini,
  },
  {
    name: 'opencode',
    folder: () => null,
    missing: 'opencode writes a session with: opencode export <session> > session.json',
    file: /(ses_[A-Za-z0-9]+).*\.json$|\.json$/,
    isAgent: () => false,
    read: readOpencode,
  },
  {
    name: 'pi',
    folder: () => join(environment('PI_CODING_AGENT_DIR') ?? join(userHome(), '.pi', 'agent'), 'sessions'),
    missing: 'pi keeps its sessions below ~/.pi/agent/sessions',
    file: new RegExp(`_(${UUID})\\.jsonl$`),
    isAgent: () => false,
    read: readPi,
  },
  {
    name: 'chatgpt',
    folder: () => null,
    missing: 'ask ChatGPT for an export of your data, unpack it, and name its conversations.json',
    file: /^conversations.*\.json$/,
    isAgent: () => false,
    read: readChatgpt,
  },
];

export const HISTORY_SOURCES: ReadonlyMap<string, HistorySource> = new Map(
  SOURCES.map((source) => [source.name, source]),
);
