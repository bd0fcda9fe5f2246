import type { Context } from '../command_line/command_context.js';
import { EXIT } from '../output/failure.js';
import { formatAge } from '../render/text/age.js';
import { cleanLine } from '../render/text/clean.js';
import { columns } from '../render/text/columns.js';
import { cut } from '../render/text/cut.js';
import { count, shortId } from '../render/text/ids_and_counts.js';

/** Lists what a remote has; `*` stands at what is shared here. */
export async function listRemote(context: Context, remote: string): Promise<number> {
  const { trees } = await (await context.client()).call('sharing.tree_list', { remote });
  if (context.json) {
    await context.printJson({ remote, trees });
    return EXIT.ok;
  }
  const look = await context.look(trees.map(({ name, title }) => name ?? title));
  const words = trees.map(({ name, title, purged }) =>
    cleanLine(purged ? '(deleted)' : (name ?? (title || '(empty)'))),
  );
  const facts = trees.map(({ nodes, updated_at_ms: atMs, by }) => [
    count(nodes, 'node'),
    formatAge(atMs, look.nowMs),
    cleanLine(by),
  ]);
  const tails = columns(facts, look);
  for (const [row, { id, shared }] of trees.entries()) {
    const name = cut(words[row] ?? '', 40, look);
    const line = `${shared ? '*' : ' '} ${look.style.strong(shortId(id))}  ${look.style.quiet(tails[row] ?? '')}  ${name}`;
    await context.out.write(`${line}\n`);
  }
  if (trees.length === 0) context.note(`Nothing is shared over ${remote}.`);
  return EXIT.ok;
}
