/** What a Linux system keeps at its top. */
const TOPS = new Set([
  ...[
    'bin',
    'boot',
    'dev',
    'etc',
    'home',
    'lib',
    'lib32',
    'lib64',
    'libx32',
    'lost+found',
    'media',
    'mnt',
    'nix',
    'opt',
  ],
  ...['proc', 'root', 'run', 'sbin', 'snap', 'srv', 'sys', 'tmp', 'usr', 'var'],
]);
/** Nothing in them is anybody's project. */
const WHOLE = new Set(['bin', 'boot', 'lib', 'lib32', 'lib64', 'libx32', 'nix', 'proc', 'sbin', 'snap', 'sys']);
/** Of what is in `/usr` and `/var`, only these may hold projects. */
const PARTS = ['usr', 'var'];
const PROJECTS_IN_PARTS = new Set(['www', 'html', 'app']);

/** Whether a folder is the system's, or holds much that is. A project may lie in one: `/usr/src/app`, `/tmp/work`, `/etc/nginx`. */
export function isSystemFolder(path: string): boolean {
  const [top = '', second, third] = path.split('/').slice(1);
  if (top === '' || (second === undefined && TOPS.has(top)) || WHOLE.has(top)) return true;
  return PARTS.includes(top) && third === undefined && second !== undefined && !PROJECTS_IN_PARTS.has(second);
}
