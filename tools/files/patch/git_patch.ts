import { createHash } from 'node:crypto';
import { structuredPatch } from 'diff';
import type { Difference } from '../store/snapshot.js';
import type { TreeEntry } from '../store/tree_format.js';
import { binaryHunk } from './binary_hunk.js';
import { quotedName } from './quoted_name.js';

/** What changed in a file: a patch that `git apply` accepts, and how many lines; null where those do not count. */
export interface FilePatch {
  text: string;
  lines: { added: number; removed: number } | null;
}

type ContentOf = (entry: TreeEntry) => Buffer;
/** One side of a change, as git sees it. */
interface Side {
  mode: string;
  content: Buffer;
}

const CONTEXT_LINES = 3;
/** Texts that differ more are shown as removed and added: comparing takes the product of length and difference. */
const EDIT_LENGTH_MAX = 5_000;
/** Where git looks for a zero byte, too. */
const TEXT_PROBE_BYTES = 8_000;
const NO_ID = '0'.repeat(40);

/** Empty for folders, which git does not know. A patch is a byte string, as paths are. */
export function patchOf({ path, before, after }: Difference, contentOf: ContentOf): FilePatch {
  const [was, is] = [sideOf(before, contentOf), sideOf(after, contentOf)];
  // As git does it: one is removed, another made.
  if (was !== null && is !== null && kindOf(was) !== kindOf(is)) {
    const [removal, addition] = [filePatch(path, was, null), filePatch(path, null, is)];
    const lines = { added: addition.lines?.added ?? 0, removed: removal.lines?.removed ?? 0 };
    return { text: removal.text + addition.text, lines };
  }
  return was === null && is === null ? { text: '', lines: null } : filePatch(path, was, is);
}

function sideOf(entry: TreeEntry | null, contentOf: ContentOf): Side | null {
  if (entry === null || entry.kind === 'folder') return null;
  const fileMode = (entry.mode & 0o100) === 0 ? '100644' : '100755';
  return { mode: entry.kind === 'link' ? '120000' : fileMode, content: contentOf(entry) };
}

const kindOf = ({ mode }: Side): string => mode.slice(0, 3);

function filePatch(path: string, was: Side | null, is: Side | null): FilePatch {
  const [a, b] = [quotedName(`a/${path}`), quotedName(`b/${path}`)];
  const isSame = was !== null && is !== null && was.content.equals(is.content);
  const head = `diff --git ${a} ${b}\n${modeLines(was, is)}`;
  if (isSame) return { text: was.mode === is.mode ? '' : head, lines: { added: 0, removed: 0 } };
  const mode = was !== null && is !== null && was.mode === is.mode ? ` ${is.mode}` : '';
  const ids = `index ${idOf(was)}..${idOf(is)}${mode}\n`;
  const [from, to] = [was?.content ?? Buffer.alloc(0), is?.content ?? Buffer.alloc(0)];
  if (isBinary(from) || isBinary(to)) {
    return { text: `${head}${ids}GIT binary patch\n${binaryHunk(to)}${binaryHunk(from)}`, lines: null };
  }
  const { text, lines } = textHunks(from.toString('latin1'), to.toString('latin1'));
  const names = text === '' ? '' : `--- ${was === null ? '/dev/null' : a}\n+++ ${is === null ? '/dev/null' : b}\n`;
  return { text: `${head}${ids}${names}${text}`, lines };
}

function modeLines(was: Side | null, is: Side | null): string {
  if (was === null) return `new file mode ${is?.mode}\n`;
  if (is === null) return `deleted file mode ${was.mode}\n`;
  return was.mode === is.mode ? '' : `old mode ${was.mode}\nnew mode ${is.mode}\n`;
}

/** The name of a content in git. */
function idOf(side: Side | null): string {
  if (side === null) return NO_ID;
  return createHash('sha1').update(`blob ${side.content.length}\0`).update(side.content).digest('hex');
}

function isBinary(content: Buffer): boolean {
  return content.subarray(0, TEXT_PROBE_BYTES).includes(0);
}

function textHunks(before: string, after: string): FilePatch {
  const options = { context: CONTEXT_LINES, maxEditLength: EDIT_LENGTH_MAX };
  const hunks = structuredPatch('', '', before, after, '', '', options)?.hunks ?? [wholeHunk(before, after)];
  const lines = { added: 0, removed: 0 };
  for (const line of hunks.flatMap((hunk) => hunk.lines)) {
    if (line.startsWith('+')) lines.added += 1;
    if (line.startsWith('-')) lines.removed += 1;
  }
  const text = hunks.map((hunk) => {
    const at = `@@ -${rangeOf(hunk.oldStart, hunk.oldLines)} +${rangeOf(hunk.newStart, hunk.newLines)} @@\n`;
    return at + hunk.lines.map((line) => `${line}\n`).join('');
  });
  return { text: text.join(''), lines };
}

/** Of nothing, git names the line before. */
function rangeOf(start: number, lines: number): string {
  return `${lines === 0 ? Math.max(0, start - 1) : start},${lines}`;
}

/** All of one text in place of all of another. */
function wholeHunk(before: string, after: string) {
  const [removed, added] = [signed('-', before), signed('+', after)];
  const [oldLines, newLines] = [removed, added].map((all) => all.filter((line) => !line.startsWith('\\')).length);
  return { oldStart: 1, oldLines: oldLines ?? 0, newStart: 1, newLines: newLines ?? 0, lines: [...removed, ...added] };
}

function signed(sign: '-' | '+', text: string): string[] {
  const lines = text.split('\n');
  const hasEnd = lines.at(-1) === '';
  if (hasEnd) lines.pop();
  const all = lines.map((line) => sign + line);
  return hasEnd ? all : [...all, '\\ No newline at end of file'];
}
