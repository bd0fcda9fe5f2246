import type { Context } from '../command_line/command_context.js';
import { clean } from '../render/text/clean.js';
import { rawOutput } from './raw_output.js';

/** Writes a patch: its very bytes where a program reads it. */
export async function writePatch({ chat, out }: Context, base64: string): Promise<void> {
  const bytes = Buffer.from(base64, 'base64');
  if (chat !== null) return out.write(clean(bytes.toString()));
  const raw = rawOutput(process.stdout);
  await raw.write(bytes);
  await raw.end();
}
