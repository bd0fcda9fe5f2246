import { type Escape, tryTo } from './escape.js';

const inHome = { project: 'home' } as const;

/** What runs as the person who logs in, opens a shell, or starts a program. */
const RUN_AS_PERSON = [
  ...[
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.profile',
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
  ],
  ...['.config/fish/config.fish', '.inputrc', '.pam_environment', '.xprofile', '.xinitrc', '.xsession'],
  ...['.gitconfig', '.config/git/config', '.config/git/attributes', '.ssh/authorized_keys', '.ssh/config', '.ssh/rc'],
  ...['.gnupg/gpg-agent.conf', '.local/bin/ls', 'bin/ls', 'go/bin/gopls', '.cargo/config.toml', '.cargo/bin/cargo'],
  ...['.config/autostart/x.desktop', '.config/systemd/user/x.service', '.config/environment.d/x.conf'],
  ...[
    '.local/share/applications/x.desktop',
    '.local/share/dbus-1/services/x.service',
    '.config/plasma-workspace/env/x.sh',
  ],
  ...['.vimrc', '.config/nvim/init.lua', '.emacs.d/init.el', '.vscode/tasks.json', '.config/Code/User/settings.json'],
  ...['.tmux.conf', '.gdbinit', '.psqlrc', '.npmrc', '.pythonrc', '.config/pip/pip.conf', '.m2/settings.xml'],
  ...['.claude/settings.json', '.claude.json', '.codex/config.toml', '.gemini/settings.json', '.cursor/mcp.json'],
  ...['.cognition/config', '.agents/skills/x/SKILL.md', '.mozilla/x', '.nvm/nvm.sh', '.docker/config.json', '.netrc'],
];

/** Attempts on the home folder, where a person lets it be the project. */
export const HOME_ESCAPES: Escape[] = [
  ...RUN_AS_PERSON.map((name) =>
    tryTo(
      `~/${name}`,
      `mkdir -p "$(dirname ${name})"; echo evil >>${name} && grep -qs evil ${name} && escaped`,
      inHome,
    ),
  ),
  tryTo('~/.bashrc replaced', 'cp .bashrc b; echo evil >>b; mv -f b .bashrc && escaped', inHome),
  tryTo('~/.bashrc removed', 'rm -f .bashrc && escaped', inHome),
  tryTo('~/.bashrc by a second name', 'ln .bashrc notes2; ln .bashrc work/b && echo evil >>work/b && escaped', inHome),
  tryTo('~/.bashrc by a link from a writable folder', 'ln -s ../.bashrc work/b; echo evil >>work/b && escaped', inHome),
  tryTo('~/.config renamed', 'mv .config c2 || mv .config work/c && escaped', inHome),
  tryTo('a hidden folder moved in', 'mkdir work/h; mv work/h .hidden && escaped', inHome),
  tryTo('a link to a hidden name', 'ln -s work .profile.d && escaped', inHome),
  tryTo(
    'the home folder renamed',
    'mv "$HOME_DIR" "$HOME_DIR.moved" && mv "$HOME_DIR.moved" "$HOME_DIR" && escaped',
    inHome,
  ),
  tryTo('the home folder removed and made', 'rm -rf "$HOME_DIR"; mkdir "$HOME_DIR" && escaped', inHome),
  tryTo('the bits of a start file', 'chmod 777 .bashrc && escaped', inHome),
  tryTo('the time of a start file', 'touch -d 2001-01-01 .bashrc && escaped', inHome),
  tryTo('a start file emptied', ': >.bashrc && escaped', inHome),
  tryTo('a start file of another spelling', 'echo evil >.BASHRC && escaped', inHome),
];
