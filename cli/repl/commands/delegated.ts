import { delegate } from '../delegate.js';
import type { ReplCommand } from '../repl.js';
import { treeCommand } from './tree.js';

const AT = ['@'];
const OF_THE_TREE = { before: AT, whole: false, completes: null } as const;

/** What works here as it does on the command line: one behaviour, in one place. */
export const DELEGATED_COMMANDS: readonly ReplCommand[] = [
  treeCommand,
  delegate({
    ...{ ...OF_THE_TREE, completes: 'node' },
    ...{
      name: 'context',
      usage: '[node] [--full] [--fresh] [--model]',
      summary: 'what a model would be sent from here',
    },
    load: async () => (await import('../../commands/context.js')).contextCommand,
  }),
  delegate({
    ...OF_THE_TREE,
    ...{
      name: 'export',
      usage: '[node] [--format f] [--output file] [--all]',
      summary: 'write the branch, or all of the tree',
    },
    load: async () => (await import('../../commands/export.js')).exportCommand,
  }),
  delegate({
    ...{ ...OF_THE_TREE, completes: 'node' },
    ...{ name: 'compare', usage: '<node> <node>', summary: 'what two branches do not share' },
    load: async () => (await import('../../commands/compare.js')).compareCommand,
  }),
  delegate({
    ...OF_THE_TREE,
    ...{ name: 'mark', usage: '[name] [node] [--remove]', summary: 'name a place, or list the names' },
    load: async () => (await import('../../commands/mark.js')).markCommand,
  }),
  delegate({
    ...{ ...OF_THE_TREE, whole: true },
    ...{ name: 'rename', usage: '<name>', summary: 'name this conversation' },
    load: async () => (await import('../../commands/rename.js')).renameCommand,
  }),
  delegate({
    ...OF_THE_TREE,
    ...{ name: 'cost', usage: '[node] [--by part]', summary: 'what was asked of models, and what it cost' },
    load: async () => (await import('../../commands/cost.js')).costCommand,
  }),
  delegate({
    ...OF_THE_TREE,
    ...{ name: 'log', usage: '[--jsonl]', summary: 'all that happened in the tree, in order' },
    load: async () => (await import('../../commands/log.js')).logCommand,
  }),
  delegate({
    ...{ before: [], whole: false, completes: null },
    ...{ name: 'list', usage: '[--archived] [--here]', summary: 'list conversations' },
    load: async () => (await import('../../commands/list.js')).listCommand,
  }),
];
