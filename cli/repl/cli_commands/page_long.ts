import { formatNumber } from '../../render/text/ids_and_counts.js';
import type { Front } from '../front/front.js';

/** More lines than these go through the pager where there is one. */
const LINES_UNPAGED_MAX = 100;

/** Shows a text, a long one in the person's pager. */
export async function showLong(front: Front, text: string): Promise<void> {
  if (!(await pageLong(front, text))) await front.show({ kind: 'text', text });
}

/** Shows a long text in the person's pager, and says so; false where it is short, or there is no pager. */
export async function pageLong(front: Front, text: string): Promise<boolean> {
  const lines = text.split('\n').length - 1;
  if (lines <= LINES_UNPAGED_MAX || !(await front.page(text))) return false;
  await front.show({ kind: 'note', text: `(${formatNumber(lines)} lines, shown in the pager)` });
  return true;
}
