import { callText } from '../../hub/base/call_title.js';
import { spokenText } from '../../hub/base/node_blocks.js';
import type { Block, External, Role } from '../../hub/protocol/node.js';
import { canonicalJson } from './canonical_json.js';

/** The most characters of a preview: a line of a wide terminal, and enough to tell branches apart. */
const PREVIEW_LENGTH_MAX = 200;
const TITLE_LENGTH_MAX = 80;
// How much of a long text is read for a preview, since much of it may be blank.
const SCANNED_LENGTH_MAX = 4_000;

/** The first characters of a node's text, or of its call's input, on one line. */
export function previewOf(blocks: readonly Block[], external: External | null): string {
  return oneLine(external === null ? firstText(blocks) : callText(asStored(external.call.input)), PREVIEW_LENGTH_MAX);
}

/** The title that a tree takes from the preview of its first user message. */
export function titleOf(preview: string): string {
  return oneLine(preview, TITLE_LENGTH_MAX);
}

/** Whether a node counts as a message: words of a person or of a model. */
export function isMessage(role: Role, preview: string): boolean {
  return (role === 'user' || role === 'assistant') && preview !== '';
}

/** The input with its keys in stored order, so that fsck derives the same preview. */
function asStored(input: unknown): unknown {
  return JSON.parse(canonicalJson(input));
}

function firstText(blocks: readonly Block[]): string {
  const texts: string[] = [];
  let length = 0;
  for (const block of blocks) {
    const text = spokenText(block);
    if (text === null) continue;
    const head = text.slice(0, SCANNED_LENGTH_MAX - length);
    texts.push(head);
    length += head.length;
    if (length >= SCANNED_LENGTH_MAX) break;
  }
  return texts.join(' ');
}

/** Blanks that are not one space. */
const BLANKS = /[^\S ]|\s\s/u;

function oneLine(text: string, lengthMax: number): string {
  const head = text.slice(0, SCANNED_LENGTH_MAX);
  // Most are one line already, which is seen faster than written anew.
  const line = (BLANKS.test(head) ? head.replace(/\s+/gu, ' ') : head).trim();
  // By code points, so that no character is cut in half.
  const short =
    line.length <= lengthMax
      ? line
      : Array.from(line.slice(0, lengthMax * 2))
          .slice(0, lengthMax)
          .join('');
  // As the content is stored: SQLite would change a lone surrogate.
  return short.toWellFormed();
}
