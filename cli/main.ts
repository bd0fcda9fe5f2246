import { detach, neverFails } from '../hub/base/detach.js';
import { errnoOf } from '../hub/base/errno.js';
import { VERSION } from '../hub/config/config.js';
import { commandLine } from './command_line/args.js';

const words = commandWords();

// Answered before anything else is loaded: editors and scripts ask for it all the time.
if (words.length === 1 && words[0] === '--version') {
  process.stdout.on('error', (error) => {
    // Whoever closed the pipe has read enough.
    if (errnoOf(error) === 'EPIPE') return;
    process.stderr.write(`cognition: ${error.message}\n`);
    process.exitCode = 1;
  });
  process.stdout.write(`${VERSION}\n`);
} else {
  detach(perform(), neverFails);
}

/** The words of the command line; without any, at a terminal, they mean `chat`. */
function commandWords(): string[] {
  const typed = commandLine();
  // Checked last: reading process.stdin opens it, which takes time that other command lines need not spend.
  return typed.length === 0 && process.stdin.isTTY && process.stdout.isTTY ? ['chat'] : typed;
}

/** Loads the bundle that the command needs: the chat is as large as all other commands together. */
async function perform(): Promise<void> {
  if (words.includes('chat')) await (await import('./chat_program.js')).runWithChat(words);
  else await (await import('./run.js')).run(words);
}
