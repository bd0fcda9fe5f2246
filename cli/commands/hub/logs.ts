import { existsSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { command } from '../../command_line/command.js';
import type { Context } from '../../command_line/command_context.js';
import { EXIT } from '../../output/failure.js';
import { clean } from '../../render/text/clean.js';

const FOLLOW_MS = 250;

export const hubLogsCommand = command({
  name: 'logs',
  summary: "Print the hub's log.",
  flags: [{ name: 'follow', short: 'f', description: 'go on with what is written from now on' }],
  examples: [
    { line: 'cognition hub logs', does: 'prints it' },
    { line: 'cognition hub logs -f', does: 'prints it and waits for more; Ctrl-C ends it' },
  ],
  async run(input, context) {
    const path = context.paths.hubLog;
    if (!existsSync(path)) {
      context.note('There is no log yet: no hub has run.');
      if (!input.flag('follow')) return EXIT.ok;
    }
    const text = existsSync(path) ? await readFile(path) : Buffer.alloc(0);
    await print(context, text.toString('utf8'));
    if (input.flag('follow')) await follow(context, path, text.length);
    return EXIT.ok;
  },
});

async function print(context: Context, text: string): Promise<void> {
  if (!context.json) return context.out.write(clean(text));
  for (const line of text.split('\n').filter(Boolean)) await context.printJson({ line });
}

/** Runs until a signal ends the process. */
async function follow(context: Context, path: string, fromByte: number): Promise<never> {
  for (let offset = fromByte; ; await wait(FOLLOW_MS)) {
    const size = (await stat(path).catch(() => null))?.size ?? 0; // between two generations there is none
    if (size < offset) offset = 0; // a new generation has begun
    if (size === offset) continue;
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - offset), 0, size - offset, offset);
      await print(context, buffer.toString('utf8', 0, bytesRead));
      offset += bytesRead;
    } finally {
      await file.close();
    }
  }
}
