import { VERSION } from '../hub/config.js';
import { commandLine } from './args.js';

const words = commandLine();

// Answered before anything else is loaded: editors and scripts ask for it all the time.
if (words.length === 1 && words[0] === '--version') {
  process.stdout.on('error', (error) => {
    // Whoever closed the pipe has read enough.
    if ('code' in error && error.code === 'EPIPE') return;
    process.stderr.write(`cognition: ${error.message}\n`);
    process.exitCode = 1;
  });
  process.stdout.write(`${VERSION}\n`);
} else {
  void import('./run.js').then(({ run }) => run(words));
}
