import { fileReference } from '../../../input/file_reference.js';
import { folded, NOT_BETTER, rankOf } from './ranking.js';
import { type Trigger, triggerAt } from './trigger.js';

/** One item of the menu. */
export interface Candidate {
  /** The text to insert. */
  value: string;
  detail: string;
}

export interface CommandChoice {
  /** Without the slash. */
  name: string;
  detail: string;
  takesArguments: boolean;
}

/** The sources of candidates. They return what is known now; `refreshMenu` queries them again. */
export interface Completion {
  commands: readonly CommandChoice[];
  /** The matching files, the best first. */
  files(query: string): readonly string[];
  /** Whether a file exists; absent where files are not completed. */
  exists?(path: string): boolean;
  /** Candidates for the next word of a command; filtered and ranked here by the typed part. */
  arguments(command: string, words: readonly string[], query: string): readonly Candidate[];
}

/** The completion menu below the text. */
export type Menu =
  /** After Esc it stays closed for the trigger at that offset. */
  | { kind: 'closed'; dismissedAt: number | null }
  | { kind: 'open'; trigger: Trigger; items: readonly Candidate[]; selected: number | null };

const ITEMS_MAX = 50;

/** The menu for a text and its cursor; closed when there is nothing to offer. */
export function menuAt(text: string, cursor: number, completion: Completion): Menu {
  const trigger = triggerAt(text, cursor);
  if (trigger === null) return { kind: 'closed', dismissedAt: null };
  const items = itemsFor(trigger, completion);
  if (items.length === 0) return { kind: 'closed', dismissedAt: null };
  return { kind: 'open', trigger, items, selected: isOnlyOffered(trigger, text) ? null : 0 };
}

/** Whether nothing is preselected: any argument is valid as typed, and `@` alone after a command is the position. */
function isOnlyOffered({ kind, query }: Trigger, text: string): boolean {
  return kind === 'argument' || (kind === 'file' && query === '' && text.startsWith('/'));
}

/** The menu with the next candidate selected, wrapping around. */
export function stepped(menu: Menu & { kind: 'open' }, by: -1 | 1): Menu {
  const count = menu.items.length;
  const from = menu.selected ?? (by > 0 ? -1 : count);
  return { ...menu, selected: (from + by + count) % count };
}

/** The text that replaces the typed part when a candidate is taken. */
export function insertionOf(trigger: Trigger, { value }: Candidate, completion: Completion): string {
  switch (trigger.kind) {
    case 'file':
      return value.endsWith('/') ? fileReference(value) : `${fileReference(value)} `;
    case 'command': {
      const command = completion.commands.find(({ name }) => name === value);
      return command?.takesArguments === true ? `/${value} ` : `/${value}`;
    }
    case 'argument':
      return `${value} `;
  }
}

function itemsFor(trigger: Trigger, completion: Completion): readonly Candidate[] {
  switch (trigger.kind) {
    case 'file':
      return completion.files(trigger.query).map((value) => ({ value, detail: '' }));
    case 'command': {
      const named = completion.commands.map(({ name, detail }) => ({ value: name, detail }));
      // Shorter names win: /q is /quit, not /queue.
      if (trigger.query !== '') named.sort((a, b) => a.value.length - b.value.length);
      return fitting(named, trigger.query);
    }
    case 'argument': {
      const { command, words } = trigger;
      const isKnown = completion.commands.some(({ name, takesArguments }) => name === command && takesArguments);
      return isKnown ? fitting(completion.arguments(command, words, trigger.query), trigger.query) : [];
    }
  }
}

/** The matching candidates, the best first; ties keep their order. */
function fitting(candidates: readonly Candidate[], query: string): Candidate[] {
  const sought = folded(query);
  return candidates
    .flatMap((candidate) => {
      const rank = rankOf(sought, { text: folded(candidate.value), nameStart: 0 }, NOT_BETTER);
      return rank === null ? [] : [{ candidate, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, ITEMS_MAX)
    .map(({ candidate }) => candidate);
}
