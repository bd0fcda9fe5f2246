// Prints the files in which a test failed, from vitest's JSON reports; nothing when there are more than a few: that is no chance.
import { existsSync, readFileSync } from 'node:fs';

const MOST_FILES = 4;
const files = process.argv
  .slice(2)
  .filter((path) => existsSync(path))
  .flatMap((path) => JSON.parse(readFileSync(path, 'utf8')).testResults)
  .filter(({ assertionResults }) => assertionResults.some(({ status }) => status === 'failed'))
  .map(({ name }) => name.slice(name.indexOf('/test/') + 1));
console.log(files.length > MOST_FILES ? '' : files.join('\n'));
