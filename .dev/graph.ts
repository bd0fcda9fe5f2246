// npm run graph: every folder of the program with its files, its lines and the folders that it imports by value.
import { fileURLToPath } from 'node:url';
import { folderCycles, folderGraph } from './folder_graph.js';

const folders = folderGraph(fileURLToPath(new URL('..', import.meta.url)));
const width = Math.max(...folders.map(({ path }) => path.length));
for (const { path, files, lines, imports } of folders) {
  const counts = `${path.padEnd(width)} ${String(files).padStart(3)} ${String(lines).padStart(6)}`;
  console.log(imports.size === 0 ? counts : `${counts}  → ${[...imports].sort().join(' ')}`);
}

const files = folders.reduce((sum, folder) => sum + folder.files, 0);
const lines = folders.reduce((sum, folder) => sum + folder.lines, 0);
const cycles = folderCycles(folders);
console.log(`\n${folders.length} folders, ${files} files, ${lines} lines, ${cycles.length} cycles`);
for (const cycle of cycles) console.log(`cycle: ${cycle}`);
process.exitCode = cycles.length === 0 ? 0 : 1;
