import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '../../../../hub/client/client.js';
import { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { connectTo, withHome } from '../../../support/hub.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';
import { answer, grow, type Picture, step, user } from '../../../support/trees.js';

/** A chat on a terminal in a tree that was there before, and the hub beside it. */
export interface Walk {
  terminal: TestTerminal;
  client: Client;
  tree: TreeId;
  ids: Record<string, string>;
  id(name: string): NodeId;
  /** Opens the navigator as a person does, and waits until these words are listed. */
  open(words?: string): Promise<string[]>;
  /** The list without ages and empty rows; the title and what is below it are left out. */
  list(): string[];
  /** Presses keys, and resolves with the list as soon as it is this one. */
  lists(keys: string, expected: readonly string[]): Promise<void>;
  /** One more terminal in the same home. */
  another<T>(args: readonly string[], use: (terminal: TestTerminal) => Promise<T>): Promise<T>;
}

export interface WalkOptions {
  /** Where the chat begins, by the name of its node. */
  at: string;
  size?: { columns: number; rows: number };
  env?: Record<string, string>;
  pictures?: readonly Picture[];
}

/** Two ways to go on from one question, on one of them with a tool, and a second question. */
const TRIP: readonly Picture[] = [
  user(
    'Where shall we go?',
    answer('To the sea.', user('When?', answer('In July.'), answer('In June.'))),
    answer(
      'To the mountains.',
      user('How high?', step('Let me look.', ['cat heights'], answer('Two thousand metres.'))),
    ),
  ),
  user('What else?'),
];

export function withWalk<T>(options: WalkOptions, use: (walk: Walk) => Promise<T>): Promise<T> {
  return withHome(async (home) => {
    const folder = join(dirname(home), 'work');
    mkdirSync(folder);
    const client = await connectTo(home);
    const tree = TreeId.parse((await client.call('loom.tree_create', { name: 'notes' })).id);
    const place = { tree, parent: tree };
    // Pictures make what each method takes.
    const ids = await grow((method, params) => client.call(method, params as never), place, options.pictures ?? TRIP);
    const id = (name: string): NodeId => NodeId.parse(ids[name]);
    const start = (args: readonly string[]) => ({
      command: process.execPath,
      args: [PROGRAM, 'chat', ...args],
      cwd: folder,
      env: { COGNITION_HOME: home, HOME: userHomeBeside(folder), TERM_PROGRAM: 'vscode', ...options.env },
      reflowsCursorLine: false,
      size: options.size ?? { columns: 80, rows: 24 },
    });
    try {
      return await withTerminal(start([tree, '--at', id(options.at)]), async (terminal) => {
        await terminal.waitFor(/^> /m);
        return use({
          ...{ terminal, client, tree, ids, id },
          ...walking(terminal),
          another: (args, work) => withTerminal(start(args), work),
        });
      });
    } finally {
      await client.close();
    }
  });
}

function walking(terminal: TestTerminal): Pick<Walk, 'open' | 'list' | 'lists'> {
  const listOf = (screen: readonly string[]): string[] => {
    const rows = screen.slice(
      1,
      screen.findIndex((row, at) => at > 0 && /^(-{10,}|Enter go|Shown: |$)/.test(row)),
    );
    return rows.map(withoutAge);
  };
  return {
    async open(words = '●') {
      terminal.type(KEYS.escape);
      await terminal.waitFor('NORMAL');
      terminal.type(KEYS.escape);
      return terminal.waitFor((screen) => /^notes: /.test(screen[0] ?? '') && screen.join('\n').includes(words));
    },
    list: () => listOf(terminal.screen()),
    async lists(keys, expected) {
      terminal.type(keys);
      await terminal.waitFor((screen) => JSON.stringify(listOf(screen)) === JSON.stringify(expected));
    },
  };
}

/** What stands at the right is told with one space before it, without the age. */
const withoutAge = (row: string): string =>
  row.replace(/ +(just now|\d+ min ago)$/, '').replace(/ +((?:#\S+ )*(?:#\S+|\+\d+(?: archived)?))$/, ' $1');
