import type { ParamsOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { Context } from '../command_line/command_context.js';
import { ask, canAsk } from '../input/ask_person.js';
import { changeLines, namedLines } from '../render/reports/file_changes.js';
import { cleanLine } from '../render/text/clean.js';

export type TakenFiles = ResultOf<'files.take'>;
export type TakeParams = ParamsOf<'files.take'>;

/** Brings files of another branch into the project; on a terminal a person chooses for each file that cannot be merged. */
export async function takeFiles(context: Context, params: TakeParams): Promise<TakenFiles> {
  const client = await context.client();
  if (context.json || context.chat !== null || !canAsk(context)) return client.call('files.take', params);
  const { kept } = await client.call('files.take', { ...params, look: true });
  const theirs = [...(params.theirs ?? [])];
  for (const { path } of kept) {
    const answer = await ask(context, `${cleanLine(path)}: changed here and there. (k)eep yours, take (t)heirs? [k]`);
    if (/^t/i.test(answer)) theirs.push(path);
  }
  return client.call('files.take', { ...params, theirs });
}

/** What was taken, merged and left, a line for each path. */
export function takenText({ changes, merged, kept }: TakenFiles): string {
  return (
    changeLines({ changed: changes.length, changes }) +
    merged.map((path) => `merged  ${cleanLine(path)}\n`).join('') +
    namedLines('left', kept)
  );
}
