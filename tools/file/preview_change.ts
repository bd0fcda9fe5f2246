import type { ParsedOf, ResultOf } from '../../hub/protocol/methods/method_table.js';
import type { ToolParts } from '../base/tool_parts.js';
import { locate, writeError } from './change_file.js';
import { decode } from './content/encoding.js';
import { readOldContent } from './content/old_content.js';
import { editChange } from './edit_change.js';
import { realPathOfName } from './path/absolute_path.js';
import { fallbackOn, shownPath } from './path/file_errors.js';
import { withOld } from './path/file_target.js';
import { withPinned } from './path/pinned_path.js';
import { requireWrite } from './path/policy_guard.js';
import { writeChange } from './write_change.js';

const CONTEXT_LINES = 2;

/** Tells what a change would do to a file; nothing is written. */
export async function previewChange(
  parts: ToolParts,
  params: ParsedOf<'file.change_preview'>,
  signal: AbortSignal,
): Promise<ResultOf<'file.change_preview'>> {
  const { path, change } = params;
  const { request, tmp } = await locate(parts, params);
  try {
    const pinned = withPinned(request.absolute, 'any', (file) =>
      withOld(file, request, async ({ path: real }) => ({ real, content: await readOldContent(file, signal) })),
    );
    const found = await fallbackOn(['ENOENT'], pinned, null);
    const old = found?.content ?? null;
    const real = found?.real ?? (await realPathOfName(request.absolute));
    requireWrite(request.guard, real, path);
    const { content, old_text: oldText, new_text: newText } = { content: '', old_text: '', new_text: '', ...change };
    const made = change.kind === 'write' ? writeChange(path, content) : editChange({ name: path, oldText, newText });
    const { bytes } = made.change(old);
    const before = old?.bytes ?? Buffer.alloc(0);
    const encoding = old?.encoding ?? { name: 'utf-8', markBytes: 0 };
    const name = shownPath(tmp?.nameOf(real) ?? real);
    const gap = old !== null && old.bytes === null ? `  [its ${old.sizeBytes} bytes are replaced]\n` : '';
    return { name, diff: gap + diffOf(decode(before, encoding), decode(bytes, encoding)) };
  } catch (error) {
    throw writeError(error, path, tmp);
  }
}

/** The lines between what both texts begin and end with, and a few around them. */
function diffOf(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const marked = (sign: string, lines: readonly string[]): string[] =>
    lines.map((line) => `${sign} ${line.replace(/\r$/, '')}`);
  return [
    `  [line ${head + 1}]`,
    ...marked(' ', now.slice(Math.max(0, head - CONTEXT_LINES), head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', now.slice(head, now.length - tail)),
    ...marked(' ', now.slice(now.length - tail, now.length - tail + CONTEXT_LINES)),
  ].join('\n');
}
