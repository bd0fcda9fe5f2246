import { HubError } from '../../hub/base/error.js';
import { command } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { cleanLine } from '../render/text/clean.js';
import { columns } from '../render/text/columns.js';
import { count, formatNumber } from '../render/text/ids_and_counts.js';

const TOP_USUAL = 10;
const TOP_MAX = 100;

export const tokensCommand = command({
  name: 'tokens',
  summary: 'Estimate how many tokens the files of this project are for a model.',
  details:
    'It counts the text files that git would list, a token for four bytes, and names the largest files and folders. No model is asked.',
  variadic: true,
  arguments: [
    {
      name: 'paths',
      required: false,
      description: 'files and folders; all of the project when left out',
      completes: 'file',
    },
  ],
  values: [
    { name: 'top', value: 'number', choices: null, description: `how many are named; ${TOP_USUAL} when left out` },
  ],
  examples: [
    { line: 'cognition tokens', does: 'measures the project' },
    { line: 'cognition tokens src docs --top 3', does: 'measures two folders of it' },
  ],
  async run(input, context) {
    const client = await context.client();
    const params = { folder: context.project, paths: [...input.rest()], top: topFrom(input.value('top')) };
    const counted = await client.call('file.project_measure', params);
    if (context.json) {
      await context.printJson(counted);
      return EXIT.ok;
    }
    const { tokens, files, largest, folders, is_whole: isWhole } = counted;
    const rows = [...folders.map(({ path, ...one }) => ({ ...one, path: `${path}/` })), ...largest];
    const table = columns(
      rows.map((one) => [formatNumber(one.tokens), cleanLine(one.path)]),
      await context.look([]),
    );
    const total = `about ${formatNumber(tokens)} tokens in ${count(files, 'file')}`;
    await context.out.write([total, ...table].map((line) => `${line}\n`).join(''));
    if (!isWhole) context.note('There is more: too many files, or it took too long.');
    return EXIT.ok;
  },
});

function topFrom(text: string | undefined): number {
  const top = text === undefined ? TOP_USUAL : Number(text);
  if (Number.isInteger(top) && top >= 1 && top <= TOP_MAX) return top;
  throw new HubError('invalid_params', `--top takes a whole number from 1 to ${TOP_MAX}, not ${text}`);
}
