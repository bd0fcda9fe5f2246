import { HubError } from '../../hub/base/error.js';
import { excerptOf } from '../../hub/base/head_and_tail.js';
import type { Resolved, Resolving } from '../../hub/base/plugin.js';
import { storedBytes } from '../base/text_changes.js';
import type { HubLink } from '../base/tool_parts.js';

/** The share of an excerpt that comes from the beginning; the rest comes from the end. */
const HEAD_SHARE = 1 / 3;

/** Resolves a handle to the stored output. It runs nothing, not even with `fresh`. */
export async function resolveCommand(hub: HubLink, { handle, output, bytes_max }: Resolving): Promise<Resolved> {
  const { stdout_bytes, stderr_bytes } = Object(handle.metadata);
  if (output === null) {
    if (stdout_bytes === 0 && stderr_bytes === 0) return { text: '', total_bytes: 0, left_out_bytes: 0, changed: null };
    throw new HubError('resolve_failed', `the output of ${handle.identifier} was not stored`, {
      hint: 'a command is not run again by looking at it: run it anew to see what it prints now',
    });
  }
  const headBytes = Math.ceil(bytes_max * HEAD_SHARE);
  const tailBytes = bytes_max - headBytes;
  const isWhole = output.total_bytes === output.size_bytes;
  const fits = isWhole && output.size_bytes <= bytes_max;
  const head = await storedBytes(hub, output, { from: 0, to: fits ? output.size_bytes : headBytes });
  const tail = fits
    ? head
    : await storedBytes(hub, output, { from: output.size_bytes - tailBytes, to: output.size_bytes });
  const excerpt = excerptOf({ head, tail, totalBytes: output.total_bytes }, { headBytes, tailBytes });
  const gap = excerpt.leftOutBytes === 0 ? '' : `\n[… ${excerpt.leftOutBytes} bytes left out …]\n`;
  return {
    text: `${excerpt.head}${gap}${excerpt.tail}`,
    total_bytes: output.total_bytes,
    left_out_bytes: excerpt.leftOutBytes,
    changed: null,
  };
}
