import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { environment } from '../../../hub/config/config.js';
import type { Terminal } from '../terminal/terminal.js';

/** The clipboard limit of terminals, in base64. */
const COPIED_LENGTH_MAX = 74_994;
const TMUX_LENGTH_MAX = 8 * 1024 * 1024;
const TMUX_MS_MAX = 2_000;
/** GNU screen forwards at most 768 bytes at a time. */
const SCREEN_PIECE_LENGTH = 500;

/** Sets the clipboard; false for a text that is too long. Terminals do not confirm it. */
export function copied(terminal: Pick<Terminal, 'send'>, text: string): boolean {
  const inside = multiplexer();
  if (inside === 'tmux' && text.length <= TMUX_LENGTH_MAX && givenToTmux(text)) return true;
  const data = Buffer.from(text).toString('base64');
  if (data.length > COPIED_LENGTH_MAX) return false;
  const sequence = `\x1b]52;c;${data}\x07`;
  terminal.send(inside === 'screen' ? passedThroughScreen(sequence) : sequence);
  return true;
}

/** A terminal started inside tmux or screen inherits their variables, but has another TERM. */
function multiplexer(): 'tmux' | 'screen' | null {
  if (!/^(screen|tmux)/.test(environment('TERM') ?? '')) return null;
  if (environment('TMUX') !== undefined) return 'tmux';
  return environment('STY') === undefined ? null : 'screen';
}

/** By default tmux ignores the escape sequence of programs, but its own command sets and forwards the clipboard. */
function givenToTmux(text: string): boolean {
  const how: SpawnSyncOptions = { input: text, timeout: TMUX_MS_MAX, stdio: ['pipe', 'ignore', 'ignore'] };
  return spawnSync('tmux', ['load-buffer', '-w', '-'], how).status === 0;
}

function passedThroughScreen(sequence: string): string {
  let passed = '';
  for (let start = 0; start < sequence.length; start += SCREEN_PIECE_LENGTH) {
    passed += `\x1bP${sequence.slice(start, start + SCREEN_PIECE_LENGTH)}\x1b\\`;
  }
  return passed;
}
