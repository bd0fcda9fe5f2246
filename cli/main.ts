import { VERSION } from '../hub/config.js';
import { commandLine } from './args.js';

const words = commandLine();

// Answered before anything else is loaded: editors and scripts ask for it all the time.
if (words.length === 1 && words[0] === '--version') {
  process.stdout.write(`${VERSION}\n`);
} else {
  void import('./run.js').then(({ run }) => run(words));
}
