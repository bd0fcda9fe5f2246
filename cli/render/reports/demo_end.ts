import { KEY_VARIABLES } from '../../../hub/base/provider_records.js';
import type { Look } from '../look/look.js';
import { columns, widest } from '../text/columns.js';
import { shortId } from '../text/ids_and_counts.js';
import { wrapWords } from '../text/wrap_words.js';

const INDENT = '  ';

/** The result of a demo. */
export interface DemoPlaces {
  tree: string;
  /** The ends of its two branches. */
  tips: readonly [string, string];
  /** The folder that it worked in. */
  project: string;
}

/** What to try next with the demo's conversation: a line each, or two where one is too narrow. */
export function renderDemoEnd({ tree, tips, project }: DemoPlaces, look: Look): string {
  const id = shortId(tree);
  const ways: [string, string][] = [
    ['talk on; say "help"', `cognition chat ${id} --there`],
    ['draw it again', `cognition show ${id}`],
    ['read where you are', `cognition context ${id}`],
    ['compare the branches', `cognition compare ${id} ${tips.map(shortId).join(' ')}`],
    ['ask one thing more', `cognition ask ${id} "list the files" --there`],
    ['hide it', `cognition delete ${id}`],
  ];
  const lines = columns(
    ways.map(([does, line]) => [does, look.style.strong(line)]),
    look,
  );
  const plain = columns(ways, look);
  const isWide = widest(plain, look.ruler) + INDENT.length <= look.width;
  const visible = isWide ? lines : ways.flatMap(([does, line]) => [`${does}:`, INDENT + look.style.strong(line)]);
  return [
    'The conversation stays, all branches of it. Now you can',
    ...visible.map((line) => INDENT + line),
    '',
    `Its folder: ${project}`,
    ...wrapWords(`A real model needs ${KEY_VARIABLES.join(' or ')}, and then:`, look.width, look.ruler).map(
      ({ text }) => text,
    ),
    `${INDENT}${look.style.strong('cognition ask "what does this project do?"')}`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}
