import { HubError } from '../../hub/base/error.js';
import { command } from '../command_line/command.js';
import { metaFrom } from '../input/meta_option.js';
import { EXIT } from '../output/failure.js';
import { writeJsonArray } from '../output/sink.js';
import { findTree } from '../position/reference.js';
import { type Hit, renderHit } from '../render/tree/search_hits.js';

const HITS_USUAL = 50;
const HITS_MAX = 100_000;
const ROLES = ['user', 'assistant', 'tool', 'summary'] as const;

export const searchCommand = command({
  name: 'search',
  summary: 'Find text in all branches of all conversations, newest first.',
  details:
    'Every word must occur; "quoted words" must occur together. Upper and lower case are the same. With --regex the query is one regular expression of JavaScript, in which ^ and $ are the ends of a line.',
  arguments: [{ name: 'query', required: true, description: 'the words to look for', completes: null }],
  flags: [
    { name: 'all', short: null, description: 'with archived conversations and branches' },
    { name: 'regex', short: null, description: 'the query is a regular expression' },
  ],
  values: [
    { name: 'tree', value: 'tree', choices: null, description: 'only in this conversation' },
    {
      name: 'role',
      value: 'role',
      choices: ROLES,
      description: 'only what was said in this role; tool: calls and commands',
    },
    {
      name: 'meta',
      value: 'key=value',
      choices: null,
      description: 'only what a program has said this of: `add --meta`',
    },
    { name: 'limit', value: 'number', choices: null, description: `how many to show; ${HITS_USUAL} when left out` },
  ],
  paged: true,
  examples: [
    { line: 'cognition search "race condition"', does: 'finds texts that have both words' },
    { line: `cognition search '"race condition"' --tree @`, does: 'finds the phrase in the current conversation' },
    { line: `cognition search --regex 'time(d )?out' --role tool`, does: 'finds what commands and tools said' },
  ],
  async run(input, context) {
    const limit = limitFrom(input.value('limit'));
    const reference = input.value('tree');
    const tree = reference === undefined ? null : await findTree(context, reference, 'read');
    const client = await context.client();
    const role = ROLES.find((one) => one === input.value('role')) ?? null;
    const kind = { regex: input.flag('regex'), role, meta: metaFrom(input.value('meta')) };
    const params = { query: input.required('query'), tree: tree?.id ?? null, archived: input.flag('all'), ...kind };
    const hits = client.pages('loom.search', { ...params, limit: Math.min(limit + 1, 200) }, 'hits');
    let isCut = false;
    async function* limitedHits(): AsyncGenerator<Hit> {
      let count = 0;
      for await (const hit of hits) {
        isCut = count === limit;
        if (isCut) return;
        count += 1;
        yield hit;
      }
    }
    let count = 0;
    if (context.json) await writeJsonArray(context.out, limitedHits());
    else {
      for await (const hit of limitedHits()) {
        const look = await context.look([hit.tree_name ?? '']);
        await context.out.write(renderHit(hit, look));
        count += 1;
      }
      if (count === 0) context.note('Nothing found.');
    }
    if (isCut)
      context.note(
        `There is more. ${limit < HITS_MAX ? `See it with --limit ${Math.min(limit * 10, HITS_MAX)}` : 'Look for more words.'}`,
      );
    return EXIT.ok;
  },
});

function limitFrom(text: string | undefined): number {
  if (text === undefined) return HITS_USUAL;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0 && limit <= HITS_MAX) return limit;
  throw new HubError(
    'invalid_params',
    `--limit takes a whole number from 1 to ${HITS_MAX}, not ${JSON.stringify(text)}`,
  );
}
