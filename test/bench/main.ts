import { appendRows } from './appends.js';
import { commandRows } from './commands.js';
import { memoryRows } from './memory.js';
import { readRows } from './reads.js';
import { formatRow } from './row.js';
import { startRows } from './starts.js';
import { turnRows } from './turns.js';

const isLarge = process.argv.includes('--large');

for (const measure of [startRows, appendRows, readRows, commandRows, turnRows, () => memoryRows({ isLarge })]) {
  for (const row of await measure()) console.log(formatRow(row));
}
