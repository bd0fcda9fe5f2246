/** Folders with people's files and other programs' data: hidden inside unless the policy names them. */
export const PRIVATE_ROOTS = [
  ...['/home', '/root', '/run', '/var/run', '/tmp', '/var/tmp', '/dev', '/proc', '/sys', '/lost+found'],
  // Other disks, mail, and folders of daemons' sockets.
  ...['/mnt', '/media', '/var/mail', '/var/spool', '/var/snap'],
  ...['/private/tmp', '/private/var/tmp', '/private/var/run', '/private/var/folders', '/Users', '/Volumes'],
];

/** Below the home folder: programs and their libraries, which may be read. */
export const TOOLCHAINS = [
  ...['.nvm', '.fnm', '.volta', '.asdf', '.local/share/mise', '.local/share/fnm', '.nodenv', '.n', '.bun', '.deno'],
  ...['.pyenv', '.rbenv', '.rvm', '.rustup', '.cargo/bin', '.goenv', 'go/bin', '.sdkman', '.jenv', '.ghcup', '.opam'],
  ...['.local/bin', '.local/lib', '.local/pipx', '.local/share/pnpm', '.npm-packages', '.linuxbrew', '.nix-profile'],
  ...['.gitconfig', '.config/git/config', '.config/git/ignore'],
];

/** Below the home folder: never shown, even when the home folder itself is the project. */
export const SECRETS = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.oci', '.password-store', '.pki', '.minikube'],
  ...['.config/gcloud', '.config/gh', '.config/hub', '.config/op', '.config/doctl', '.config/rclone', '.config/sops'],
  ...['.config/google-chrome', '.config/chromium', '.mozilla', '.thunderbird', '.local/share/keyrings', '.config/age'],
  ...['.claude', '.claude.json', '.codex', '.gemini', '.config/opencode', '.local/share/opencode', '.pi', '.cognition'],
  ...[
    '.netrc',
    '.pgpass',
    '.my.cnf',
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.git-credentials',
    '.config/git/credentials',
  ],
  ...['.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials', '.terraform.d', '.vault-token', '.boto'],
  ...['.bash_history', '.zsh_history', '.python_history', '.node_repl_history', '.psql_history', '.local/share/fish'],
  ...['.env', '.envrc', '.config/environment.d', 'Library/Keychains', 'Library/Cookies', '.Xauthority'],
  ...['.ICEauthority'],
];

/** Below the home folder: skills, which models may read and run, though they lie in hidden folders. */
export const SKILLS = ['.agents/skills', '.claude/skills'];

/** Secrets of the system, which root could read inside as well, because the files belong to root. */
export const SYSTEM_SECRETS = [
  ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers', '/etc/sudoers.d', '/etc/ssh'],
  ...['/etc/ssl/private', '/etc/wireguard', '/etc/krb5.keytab', '/etc/NetworkManager/system-connections'],
  ...['/etc/netplan', '/etc/ppp', '/etc/mysql/debian.cnf', '/etc/letsencrypt', '/etc/kubernetes', '/etc/rancher'],
  ...['/boot', '/var/lib/private', '/var/lib/docker', '/var/lib/containerd', '/var/lib/kubelet', '/var/lib/sss'],
  ...['/var/spool/cron', '/var/spool/at', '/var/backups', '/var/lib/systemd/coredump', '/var/log/journal'],
  ...['/var/lib/NetworkManager', '/var/lib/cloud', '/etc/iscsi', '/etc/crypttab'],
  ...[
    '/swapfile',
    '/swap.img',
    '/etc/apt/auth.conf',
    '/etc/apt/auth.conf.d',
    '/etc/security/opasswd',
    '/etc/ipsec.secrets',
  ],
  ...['/etc/openvpn', '/etc/cloudflared', '/var/lib/tailscale', '/var/lib/iwd', '/var/lib/bluetooth', '/var/log/audit'],
];

/** Folders of the system that a policy with a list of readable paths still shows. */
export const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/snap', '/var/lib'],
  ...['/System', '/Library', '/private/etc'],
];
