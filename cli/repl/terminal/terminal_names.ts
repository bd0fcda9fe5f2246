import type { Reflow } from './reflow.js';

/** TERM wins over other variables: those may belong to the terminal from which this one was started. */
const BY_TERM: readonly (readonly [RegExp, Reflow])[] = [
  [/^(linux|st|dumb|vt\d|eterm|cons)/, 'none'],
  [/^(tmux|alacritty|foot|contour|rxvt-unicode|wezterm|xterm-(kitty|ghostty))/, 'all'],
];

const BY_PROGRAM: Readonly<Record<string, Reflow>> = {
  vscode: 'xterm_js',
  Hyper: 'xterm_js',
  Tabby: 'xterm_js',
  'iTerm.app': 'all',
  Apple_Terminal: 'all',
  WezTerm: 'all',
  ghostty: 'all',
};

// Answers to XTVERSION: a name with a version behind it.
const BY_NAME: readonly (readonly [RegExp, Reflow])[] = [
  [/^xterm\.js/i, 'xterm_js'],
  [/^(tmux|kitty|wezterm|foot|vte|iterm2|ghostty|contour|alacritty)\b/i, 'all'],
];

/** How the terminal reflows, from the environment; null when that does not say, as after ssh, so that the terminal has to be asked. */
export function reflowOf(variable: (name: string) => string | undefined): Reflow | null {
  const term = variable('TERM') ?? '';
  if (/^(screen|tmux)/.test(term)) return reflowInside(variable);
  const match = BY_TERM.find(([pattern]) => pattern.test(term));
  if (match !== undefined) return match[1];
  if (variable('XTERM_VERSION') !== undefined) return 'none';
  const program = BY_PROGRAM[variable('TERM_PROGRAM') ?? ''];
  if (program !== undefined) return program;
  return variable('VTE_VERSION') === undefined && variable('WT_SESSION') === undefined ? null : 'all';
}

/** How a terminal of this name reflows; `none` for an unknown one. */
export function reflowOfName(name: string): Reflow {
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? 'none';
}

/** Old versions of tmux set TERM to screen. */
function reflowInside(variable: (name: string) => string | undefined): Reflow | null {
  if (variable('TMUX') !== undefined || variable('TERM')?.startsWith('tmux') === true) return 'all';
  return variable('STY') === undefined ? null : 'none';
}

/** Whether the terminal supports bracketed paste: only the oldest do not. */
export function marksPastes(variable: (name: string) => string | undefined): boolean {
  // GNU screen does not pass the marks on.
  return variable('STY') === undefined && !/^(linux|vt\d|cons|eterm)/.test(variable('TERM') ?? '');
}
