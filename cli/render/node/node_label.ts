import type { Look } from '../look/look.js';
import { cleanLine } from '../text/clean.js';
import { cut, cutAtWord } from '../text/cut.js';
import { roleOf, type Titled, toolOf } from './node_text.js';

/** One line for a node: `User: …`, `User (anna · laptop): …`, `[bash:…]`, `[bash (anna · laptop):…]`, `Assistant: …`. */
export function labelOf(node: Titled, columns: number, look: Look): string {
  const preview = cleanLine(node.preview);
  switch (node.role) {
    case 'root':
      return cut('(root)', columns, look);
    case 'tool': {
      const opening = cut(`[${toolOf(node)}:`, columns - 1, look);
      const closing = columns > 0 ? ']' : '';
      return opening + cut(preview, columns - look.ruler.width(opening) - 1, look) + closing;
    }
    case 'user':
    case 'assistant':
    case 'summary':
      return cutAtWord(`${roleOf({ ...node, role: node.role })}: ${preview}`.trimEnd(), columns, look);
  }
}

/** The colour of a role's text. */
export function inkOf(role: Titled['role'], look: Look): (text: string) => string {
  switch (role) {
    case 'user':
      return look.style.user;
    case 'assistant':
      return look.style.assistant;
    case 'tool':
      return look.style.tool;
    case 'root':
    case 'summary':
      return look.style.quiet;
  }
}

/** The exit code of a failed command; without one it was killed. */
export function exitTail(node: Titled): string {
  if (node.tool === 'bash' && node.exit_code === null) return ' killed';
  return node.exit_code === null || node.exit_code === 0 ? '' : ` exit ${node.exit_code}`;
}
