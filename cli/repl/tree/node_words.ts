import type { Node } from '../../../hub/protocol/node.js';
import type { Context } from '../../command_line/command_context.js';
import { labelOf } from '../../render/node/node_label.js';
import { titledOf } from '../../render/node/node_text.js';
import { formatAge } from '../../render/text/age.js';
import { cut } from '../../render/text/cut.js';
import { count, shortId } from '../../render/text/ids_and_counts.js';

const WORDS_COLUMNS = 60;
const WORDS_COLUMNS_MIN = 12;
/** Columns of `You are at`, an id and the blanks between them. */
const BEFORE_WORDS = 21;

/** A node in words: its id, its first words, its age and its depth. */
export async function placeWords(context: Context, node: Node): Promise<string> {
  const titled = titledOf(node);
  const look = await context.look([titled.preview]);
  const tail =
    node.role === 'root' ? '' : `  ${formatAge(node.created_at_ms, look.nowMs)}, ${count(node.depth, 'node')} deep`;
  const room = Math.max(WORDS_COLUMNS_MIN, Math.min(WORDS_COLUMNS, look.width - BEFORE_WORDS - tail.length));
  return `${shortId(node.id)}  ${labelOf(titled, room, look)}${tail}`;
}

/** The first words of a message, in quotes; a call as the tree draws it. */
export async function quotedWords(context: Context, node: Node): Promise<string> {
  const titled = titledOf(node);
  const look = await context.look([titled.preview]);
  return titled.role === 'tool'
    ? labelOf(titled, WORDS_COLUMNS, look)
    : `"${cut(titled.preview, WORDS_COLUMNS, look)}"`;
}
