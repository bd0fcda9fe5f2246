import { detach, neverFails } from '../../../hub/base/detach.js';
import type { Client } from '../../../hub/client/client.js';
import { formatAge } from '../../render/text/age.js';
import { cleanLine } from '../../render/text/clean.js';
import { count, shortId } from '../../render/text/ids_and_counts.js';
import { treeWords } from '../../render/tree/tree_list.js';
import { THINKING, THINKING_LEVELS } from '../../turn/thinking_choice.js';
import type { Candidate } from '../editor/completion/menu.js';
import type { ReplCommand } from '../repl.js';
import { REPL_COMMANDS } from './chat_command_table.js';

/** Candidates for the argument of a command: the cached ones, while newer ones are requested. */
export interface ArgumentSource {
  find(command: string, words: readonly string[], query: string): readonly Candidate[];
}

export interface ArgumentParts {
  client: () => Promise<Client>;
  /** The open tree. */
  tree: () => string;
  changed(): void;
  nowMs: () => number;
}

type CandidateKind = 'node' | 'tree' | 'model';

/** How long an answer is good for, and how many candidates are asked for. */
const AGE_MS_MAX = 5_000;
const CANDIDATES_MAX = 200;
const LEVELS: readonly Candidate[] = ['minimal', 'orchestrator', 'readonly', 'plan', 'ask'].map((value) => ({
  value,
  detail: '',
}));

export function argumentSource(parts: ArgumentParts): ArgumentSource {
  const options = optionSource(parts.changed);
  const cached = new Map<CandidateKind, { candidates: readonly Candidate[]; atMs: number }>();
  const ask = async (what: CandidateKind): Promise<void> => {
    const before = cached.get(what)?.candidates ?? [];
    cached.set(what, { candidates: before, atMs: parts.nowMs() });
    const candidates = await requestCandidates(what, parts).catch(() => before); // without an answer the old candidates stay
    cached.set(what, { candidates, atMs: parts.nowMs() });
    parts.changed();
  };
  const offered = (what: CandidateKind): readonly Candidate[] => {
    const one = cached.get(what);
    if (one === undefined || parts.nowMs() - one.atMs > AGE_MS_MAX) detach(ask(what), neverFails);
    return one?.candidates ?? [];
  };
  return {
    find(name, words, query) {
      if (query.startsWith('-')) return options(name).filter(({ value }) => !words.includes(value));
      const completes = completesOf(name, words.length);
      switch (completes) {
        case 'level':
          return LEVELS;
        case 'thinking':
          return THINKING_LEVELS.map((value) => ({ value, detail: THINKING[value] }));
        case 'command':
          return REPL_COMMANDS.map(({ name: value, summary: detail }) => ({ value, detail }));
        case 'node':
        case 'tree':
        case 'model':
          return offered(completes);
        case 'file':
        case null:
          return [];
      }
    },
  };
}

/** The options of a command as its usage names them, described as soon as that is loaded. */
function optionSource(changed: () => void): (name: string) => readonly Candidate[] {
  const described = new Map<string, ReadonlyMap<string, string>>();
  const describe = async (command: ReplCommand): Promise<void> => {
    described.set(command.name, new Map());
    const details = await command.details?.();
    if (details === undefined) return;
    described.set(command.name, new Map(details.map(([words, text]) => [words.split(' ')[0] ?? words, text])));
    changed();
  };
  return (name) => {
    const command = REPL_COMMANDS.find((one) => one.name === name);
    if (command === undefined) return [];
    if (!described.has(name)) detach(describe(command), neverFails);
    const details = described.get(name);
    return (command.usage.match(/--[a-z][a-z-]*/g) ?? []).map((value) => ({
      value,
      detail: details?.get(value) ?? '',
    }));
  };
}

/** Commands whose second word is a node. */
const NODES_SECOND: ReadonlySet<string> = new Set(['compare', 'mark']);

function completesOf(name: string, place: number): ReplCommand['completes'] {
  if (place === 1) return NODES_SECOND.has(name) ? 'node' : null;
  if (place > 1) return null;
  return REPL_COMMANDS.find((command) => command.name === name)?.completes ?? null;
}

async function requestCandidates(
  what: CandidateKind,
  { client, tree, nowMs }: ArgumentParts,
): Promise<readonly Candidate[]> {
  const hub = await client();
  switch (what) {
    case 'model': {
      const { aliases } = await hub.call('agent.providers', {});
      return aliases.map(({ name, model }) => ({ value: name, detail: model }));
    }
    case 'tree': {
      const { trees } = await hub.call('loom.tree_list', { limit: CANDIDATES_MAX });
      return trees.map((one) => ({ value: shortId(one.id), detail: cleanLine(treeWords(one)) }));
    }
    case 'node': {
      const { matches } = await hub.call('loom.tree_find', { ref: tree() });
      const [found] = matches;
      if (found === undefined) return [];
      const [marked, ends] = await Promise.all([
        hub.call('loom.mark_list', { tree: found.id, limit: CANDIDATES_MAX }),
        hub.call('loom.context_list_leaves', { tree: found.id, limit: CANDIDATES_MAX }),
      ]);
      const marks = marked.marks.map(({ name, node }) => ({ value: name, detail: `mark of ${shortId(node)}` }));
      const leaves = ends.leaves.map(({ node, length, differs }) => {
        const told = [formatAge(node.created_at_ms, nowMs()), count(length, 'node'), cleanLine(differs)];
        return { value: shortId(node.id), detail: told.join('  ') };
      });
      return [...marks, ...leaves];
    }
  }
}
