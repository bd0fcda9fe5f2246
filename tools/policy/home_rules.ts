import { isWithin } from '../../hub/base/is_within.js';
import type { MachinePaths } from '../base/tool_parts.js';
import { TOOLCHAINS } from './known_paths.js';

/** Names right in the home folder that are in the search path, or run at login, though they are not hidden. */
const RUN_IN_HOME = ['bin', 'go', 'Library'];

/** Below the home folder, in folders that may be a project: what runs as the person when they log in, open a shell or start a program. */
const RUN_AS_PERSON = [
  ...['git', 'systemd', 'autostart', 'autostart-scripts', 'plasma-workspace', 'fish', 'zsh', 'nushell', 'direnv'],
  ...[
    'nvim',
    'vim',
    'emacs',
    'helix',
    'zed',
    'Code',
    'VSCodium',
    'Cursor',
    'JetBrains',
    'sublime-text',
    'github-copilot',
  ],
  ...['tmux', 'kitty', 'alacritty', 'wezterm', 'i3', 'sway', 'hypr', 'mise', 'pip', 'containers', 'gdb', 'goose'],
].map((name) => `.config/${name}`);

const PROGRAMS_OF_PERSON = [
  ...['.local/bin', '.local/lib', '.local/pipx', '.local/share/applications', '.local/share/systemd'],
  ...['.local/share/dbus-1', '.local/share/nvim', '.local/share/nautilus', ...TOOLCHAINS],
];

const NAMES = [...new Set([...RUN_AS_PERSON, ...PROGRAMS_OF_PERSON])];
const KEPT = NAMES.filter((name) => !NAMES.some((other) => other !== name && isWithin(`/${name}`, `/${other}`)));

/**
 * Whether a path in the home folder is kept from being written although a policy names a folder around it: everything hidden
 * where the whole home folder is named, what runs as the person where a part is. A folder that is itself named may be written.
 */
export function isKeptInHome(path: string, writable: readonly string[], { userHome }: MachinePaths): boolean {
  if (userHome === '/' || !isWithin(path, userHome)) return false;
  const [first = ''] = path.slice(userHome.length + 1).split('/');
  const around = writable.filter((one) => isWithin(path, one));
  if (isKeptName(first) && around.every((one) => isWithin(userHome, one))) return true;
  return keptPathsOf(userHome).some((kept) => isWithin(path, kept) && !around.some((one) => isWithin(one, kept)));
}

/** Whether this name right in the home folder may not be written where all of it is named. */
export function isKeptName(name: string): boolean {
  return name.startsWith('.') || RUN_IN_HOME.includes(name);
}

/** What is kept strictly below a writable folder inside the home folder. */
export function keptBelow(root: string, { userHome }: MachinePaths): string[] {
  if (userHome === '/' || isWithin(userHome, root)) return [];
  return keptPathsOf(userHome).filter((kept) => kept !== root && isWithin(kept, root));
}

function keptPathsOf(userHome: string): string[] {
  return KEPT.map((name) => `${userHome}/${name}`);
}
