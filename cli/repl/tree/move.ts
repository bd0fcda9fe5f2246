import { HubError } from '../../../hub/base/error.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import type { Repl } from '../repl.js';
import { goTo } from './go_to.js';
import { FILES_WORDS, type FilesWord, filesWordIn, goWithFiles } from './go_with_files.js';

/** What a person says of a move beside where it goes. */
export interface MoveWords {
  files: FilesWord;
  /** Whether the model tells there what is on the branch that one leaves. */
  hasSummary: boolean;
}

const SUMMARY = /(?:^|\s)--summary(?=\s|$)/;

export const MOVE_WORDS: readonly (readonly [string, string])[] = [
  ['--summary', 'have the model summarise what you leave, as a message where you go'],
  ...FILES_WORDS,
];

/** Takes the options of a move out of the argument of a command. */
export function moveWordsIn(argument: string): { rest: string; words: MoveWords } {
  const { rest, word: files } = filesWordIn(argument.replace(SUMMARY, ''));
  return { rest, words: { files, hasSummary: SUMMARY.test(argument) } };
}

/** Goes to a node with the files of the project, and has what is left summarised if that was asked for. */
export async function move(repl: Repl, node: NodeId, { files: word, hasSummary }: MoveWords): Promise<void> {
  const here = repl.conversation();
  const go = () => goTo(here, node);
  if (!hasSummary) return goWithFiles(repl, { node, word, go });
  if (here.turns.current() !== null) {
    throw new HubError('conflict', 'a turn is running: what you leave is not all said yet', {
      hint: 'wait for its end, or end it with /stop',
    });
  }
  const left = here.place.position();
  const settled = (): void => {
    // Somebody else's turn may run there: then one follows that.
    if (here.turns.current() === null) here.turns.compact(null, left);
  };
  await goWithFiles(repl, { node, word, go, settled });
}
