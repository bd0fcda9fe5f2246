import { fileReference } from '../../../input/file_reference.js';
import { folded, NOT_BETTER, rankOf } from './ranking.js';
import { type Trigger, triggerAt } from './trigger.js';

/** One thing that can be taken from the menu. */
export interface Candidate {
  /** What is inserted. */
  value: string;
  detail: string;
}

export interface CommandChoice {
  /** Without the slash. */
  name: string;
  detail: string;
  takesArguments: boolean;
}

/** Where candidates come from. What is not known yet is left out; `refreshMenu` asks again. */
export interface Completion {
  commands: readonly CommandChoice[];
  /** The files that fit, the best first. */
  files(query: string): readonly string[];
  /** Whether there is a file with this path; left out where files mean nothing. */
  exists?(path: string): boolean;
  /** What can follow the words after a command; filtered and ordered here by what is written of it. */
  arguments(command: string, words: readonly string[]): readonly Candidate[];
}

/** What is offered below the text. */
export type Menu =
  /** After Esc it stays closed for what begins at that place. */
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

/** Any argument may be what is meant, and `@` alone after a command is where one stands: only a key chooses one. */
function isOnlyOffered({ kind, query }: Trigger, text: string): boolean {
  return kind === 'argument' || (kind === 'file' && query === '' && text.startsWith('/'));
}

/** The menu with the next candidate selected, around its ends. */
export function stepped(menu: Menu & { kind: 'open' }, by: -1 | 1): Menu {
  const count = menu.items.length;
  const from = menu.selected ?? (by > 0 ? -1 : count);
  return { ...menu, selected: (from + by + count) % count };
}

/** What taking a candidate inserts in the place of what was written of it. */
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
      // Of names that begin alike the shortest is meant: /q is /quit, and not /queue.
      if (trigger.query !== '') named.sort((a, b) => a.value.length - b.value.length);
      return fitting(named, trigger.query);
    }
    case 'argument': {
      const { command, words } = trigger;
      const isKnown = completion.commands.some(({ name, takesArguments }) => name === command && takesArguments);
      return isKnown ? fitting(completion.arguments(command, words), trigger.query) : [];
    }
  }
}

/** Those that fit, the best first; in their own order where they fit equally. */
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
