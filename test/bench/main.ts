import { appendRows } from './appends.js';
import { chatRows } from './chats.js';
import { commandRows } from './commands.js';
import { filesRows } from './files.js';
import { filesWaitRows } from './files_wait.js';
import { importRows } from './imports.js';
import { memoryRows } from './memory.js';
import { privateGitRows } from './private_git.js';
import { sharingRows } from './publish_and_fetch.js';
import { readRows } from './reads.js';
import { formatRow } from './row.js';
import { sharingCrowdRows } from './seen_nodes.js';
import { sharingGrowthRows } from './shared_growth.js';
import { startRows } from './starts.js';
import { turnRows } from './turns.js';
import { webStreamRows, webTreeRows } from './web/web.js';

const isLarge = process.argv.includes('--large');

const measures = {
  startRows,
  appendRows,
  readRows,
  commandRows,
  privateGitRows,
  filesRows: () => filesRows({ isLarge }),
  filesWaitRows,
  turnRows,
  chatRows,
  importRows: () => importRows({ isLarge }),
  memoryRows: () => memoryRows({ isLarge }),
  sharingRows,
  sharingGrowthRows: () => sharingGrowthRows({ isLarge }),
  sharingCrowdRows: () => sharingCrowdRows({ isLarge }),
  webTreeRows,
  webStreamRows,
};
const only = process.argv.slice(2).filter((word) => !word.startsWith('-'));

for (const [name, measure] of Object.entries(measures)) {
  if (only.length > 0 && !only.some((word) => name.startsWith(word))) continue;
  for await (const row of await measure()) console.log(formatRow(row));
}
