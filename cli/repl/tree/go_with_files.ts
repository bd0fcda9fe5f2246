import { HubError } from '../../../hub/base/error.js';
import type { ParamsOf, ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { NodeId } from '../../../hub/protocol/node.js';
import { reasonOf } from '../../output/failure.js';
import { workFolder } from '../../position/project_folder.js';
import { movedNotes, namedCount } from '../../render/reports/moved_files.js';
import type { Repl } from '../repl.js';

/** What a person says of the files when they go to another node; null when the preference decides. */
export type FilesWord = 'ask' | 'carry' | 'leave' | 'keep' | null;

export interface Going {
  node: NodeId;
  word: FilesWord;
  /** The move itself. */
  go(): Promise<void> | void;
  /** What comes when the files are there, and that was told. */
  settled?(): void;
}

type Moved = ResultOf<'files.move'>;
type Changes = NonNullable<ParamsOf<'files.move'>['changes']>;

const WORD = /(?:^|\s)--(carry|leave|keep-files)(?=\s|$)/;

export const FILES_WORDS: readonly (readonly [string, string])[] = [
  ['--carry', 'take along what you have changed yourself'],
  ['--leave', 'keep what you have changed yourself for where you are: it comes back when you do'],
  ['--keep-files', 'leave all files as they are'],
];

/** Takes the option about files out of the argument of a command. */
export function filesWordIn(argument: string): { rest: string; word: FilesWord } {
  const found = WORD.exec(argument)?.[1];
  const word = found === 'carry' || found === 'leave' ? found : null;
  return { rest: argument.replace(WORD, '').trim(), word: found === 'keep-files' ? 'keep' : word };
}

/** Goes to a node; the files of the project come along. Who has changed some is asked first. */
export async function goWithFiles(repl: Repl, going: Going): Promise<void> {
  const { word, node } = going;
  if (repl.follow === 'no' && (word === null || word === 'keep')) {
    await go(repl, going, false);
    return going.settled?.();
  }
  const there = repl.follow === 'ask' && word === null ? await moveFiles(repl, node, 'look') : null;
  if (there?.outcome !== 'differs') return goAs(repl, going, word ?? 'ask');
  await ask(repl, `(files that differ there, ${namedCount(there)})`, {
    words: 't  take the files along    k  keep them as they are    Esc  stay here',
    answers: {
      take: { key: 't', run: () => goAs(repl, going, 'ask') },
      keep: { key: 'k', run: () => goAs(repl, going, 'keep') },
    },
  });
}

const NOT_COVERED = '(what git ignores, databases, servers and what was done elsewhere stay as they are)';

async function go(repl: Repl, going: Going, hasFiles: boolean): Promise<void> {
  const { place } = repl.conversation();
  const from = place.position();
  // Who stays where they are has gone nowhere: /undo takes back the move before.
  if (hasFiles || from !== going.node) repl.lastMove = { tree: place.tree, from, to: going.node, hasFiles };
  await going.go();
}

async function goAs(repl: Repl, going: Going, changes: Changes): Promise<void> {
  const tell = (text: string) => repl.front.show({ kind: 'note', text });
  const moved = await moveFiles(repl, going.node, changes).catch(refusal);
  if (typeof moved === 'string') {
    await go(repl, going, false);
    await tell(moved);
    return going.settled?.();
  }
  if (moved.outcome === 'differs') return askAboutChanges(repl, going, moved.own);
  await go(repl, going, moved.outcome === 'moved' && moved.changed > 0);
  for (const text of movedNotes(moved, { isLeft: changes === 'leave', undo: '/undo' })) await tell(text);
  if (moved.changed > 0 && !repl.toldLimits) {
    repl.toldLimits = true;
    await tell(NOT_COVERED);
  }
  going.settled?.();
}

/** What keeps files where they are does not keep a person from going. */
function refusal(error: unknown): string {
  if (!(error instanceof HubError)) throw error;
  return `(the files stay as they are: ${reasonOf(error)})`;
}

async function moveFiles({ client, conversation, context }: Repl, node: NodeId, changes: Changes): Promise<Moved> {
  const { place } = conversation();
  const project = workFolder(await client.call('loom.tree_get', { tree: place.tree }), context.project);
  return client.call('files.move', { project, tree: place.tree, node, from: place.position(), changes });
}

async function askAboutChanges(repl: Repl, going: Going, own: Moved['own']): Promise<void> {
  const text = `changed since, not by this conversation, ${namedCount(own)}`;
  if (!repl.front.attended) {
    throw new HubError('conflict', `you stay where you are: ${text}`, {
      hint: 'with --carry they are taken along, with --leave they stay with the node where you are',
    });
  }
  await ask(repl, `(${text})`, {
    words: 'c  carry them along    l  leave them here    Esc  stay',
    answers: {
      carry: { key: 'c', run: () => goAs(repl, going, 'carry') },
      leave: { key: 'l', run: () => goAs(repl, going, 'leave') },
    },
  });
}

interface Choice {
  words: string;
  answers: Readonly<Record<string, { key: string; run(): Promise<void> }>>;
}

/** Asks; an answer is a line of `/files`, which a key says for the person. */
async function ask(repl: Repl, text: string, { words, answers }: Choice): Promise<void> {
  const { front } = repl;
  const lines = Object.entries(answers).map(([answer, { key }]): [string, string] => [key, `/files ${answer}`]);
  const typed = lines.map(([, line]) => line).join(', ');
  await front.show({ kind: 'note', text: front.isAppendOnly ? `${text}\nhint: ${typed} or /files stay` : text });
  repl.fileAnswers = new Map(Object.entries(answers).map(([answer, { run }]) => [answer, run]));
  front.update({ choice: { words, lines: Object.fromEntries([...lines, ['escape', '/files stay']]) } });
}

/** Answers the question about files, if this word does; false when none is asked. */
export async function answerFiles(repl: Repl, word: string): Promise<boolean> {
  const run = repl.fileAnswers?.get(word);
  if (run === undefined && (repl.fileAnswers === null || word !== 'stay')) return false;
  dropQuestion(repl);
  await run?.();
  return true;
}

/** Forgets a question that was not answered, whichever it is. */
export function dropQuestion(repl: Repl): void {
  repl.fileAnswers = null;
  repl.front.update({ choice: null });
}
