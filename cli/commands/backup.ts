import { resolve } from 'node:path';
import { command } from '../command_line/command.js';
import { EXIT } from '../output/failure.js';
import { count, formatBytes } from '../render/text/ids_and_counts.js';

export const backupCommand = command({
  name: 'backup',
  summary: 'Write a consistent copy of everything that is stored.',
  details:
    'The database goes to the file, the stored outputs and what is recorded of projects into folders beside it. It may run while others work.',
  arguments: [
    { name: 'file', required: true, description: 'the file to write; it must not be there yet', completes: 'file' },
  ],
  examples: [{ line: 'cognition backup ~/cognition-2026-11-18.db', does: 'copies all conversations' }],
  async run(input, context) {
    const client = await context.client();
    const made = await client.call('loom.backup', { path: resolve(input.required('file')) });
    if (context.json) await context.printJson(made);
    else {
      const files = made.packs === 0 ? '' : `, ${count(made.packs, 'pack')} of project files`;
      await context.out.write(
        `Wrote ${made.path}: ${formatBytes(made.size_bytes)}, ${count(made.outputs, 'stored output')}${files}\n`,
      );
    }
    return EXIT.ok;
  },
});
