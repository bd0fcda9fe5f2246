import { type Escape, tryTo } from './escape.js';

const overEtc = { thrownAway: 'mount -t tmpfs none /etc' };
const overVar = { thrownAway: 'mount -t tmpfs none /var && mkdir -p /var/spool/cron /var/spool/at' };
const plain = { project: 'plain' } as const;

/** Attempts on files outside the policy, and on project files that execute later. */
export const FILE_ESCAPES: Escape[] = [
  tryTo('write beside the project', 'echo x >"$OUT/new" && escaped'),
  tryTo('read through a symbolic link', 'ln -s "$OUT/secret" link; holds link && escaped'),
  tryTo('write through a symbolic link', 'ln -s "$OUT" link; echo x >link/new && escaped'),
  tryTo('hard link to a file outside', 'ln "$OUT/secret" hard && holds hard && escaped'),
  tryTo('up and down again', 'holds ../outside/secret && escaped'),
  tryTo('/proc/self/root', 'holds "/proc/self/root$OUT/secret" && escaped'),
  tryTo('/proc/self/cwd and up', 'holds /proc/self/cwd/../outside/secret && escaped'),
  tryTo('rename the project', 'cd /; mv "$PROJECT" "$PROJECT.moved" && escaped'),
  tryTo('write in a folder that may only be read', 'echo x >"$READABLE/new" && escaped'),
  tryTo('keys in the home folder', 'holds "$HOME_DIR/.ssh/id" && escaped'),
  tryTo('passwords in the home folder', 'holds "$HOME_DIR/.netrc" && escaped'),
  tryTo('other files of the home folder', 'holds "$HOME_DIR/notes" && escaped'),
  tryTo(
    'start-up file of the shell',
    'echo x >>"$HOME_DIR/.bashrc" && [ "$(wc -l <"$HOME_DIR/.bashrc")" = 2 ] && escaped',
  ),
  tryTo('keys, when the home folder is the project', 'holds .ssh/id && escaped', { project: 'home' }),
  tryTo('rename a folder of keys away, when the home folder is the project', 'mv .ssh keys && escaped', {
    project: 'home',
  }),
  tryTo('rename the folder above one of keys, when the home folder is the project', 'mv .config other && escaped', {
    project: 'home',
  }),
  tryTo("cognition's own files", 'holds "$KEPT/secret" && escaped'),
  tryTo("write into cognition's own files", 'echo x >"$KEPT/new" && escaped'),
  tryTo("cognition's own files in the project", 'holds deep/kept/secret && escaped', { project: 'kept' }),
  tryTo(
    "another folder in the place of the one that holds cognition's own files",
    'mv deep deeper && mkdir -p deep/kept && echo x >deep/kept/config && escaped',
    { project: 'kept' },
  ),
  tryTo('passwords of the system', '[ -s /etc/shadow ] && head -c 1 /etc/shadow >copy && escaped', { onlyRoot: true }),
  tryTo('write /etc', 'echo x >/etc/new && escaped', overEtc),
  tryTo('library that every program loads', 'echo x >/etc/ld.so.preload && escaped', overEtc),
  tryTo('cron', 'mkdir -p /etc/cron.d && echo x >/etc/cron.d/new && escaped', overEtc),
  tryTo('tables of cron', 'echo x >/var/spool/cron/new && escaped', overVar),
  tryTo('jobs of at', 'mkdir -p /var/spool/at && echo x >/var/spool/at/new && escaped', overVar),
  tryTo('write /usr', 'echo x >/usr/local/new && escaped', { thrownAway: 'mount -t tmpfs none /usr/local' }),
  tryTo('write the topmost folder', 'mkdir /new && escaped', {
    thrownAway:
      'mount -t tmpfs none /mnt && mkdir /mnt/usr && mount --rbind /usr /mnt/usr && for l in bin lib lib64 sbin; do [ -L /$l ] && cp -P /$l /mnt; done; mkdir -p /mnt/dev /mnt/tmp && mount --rbind /dev /mnt/dev && mount --rbind /tmp /mnt/tmp && cd /mnt && pivot_root . .',
  }),
  tryTo('memory files of others', 'holds "/dev/shm/$NAME" && escaped'),
  tryTo('hook of git', 'echo x >.git/hooks/post-commit && escaped'),
  tryTo('hooks of git made anew', 'rm -rf .git/hooks; mkdir .git/hooks && echo x >.git/hooks/post-commit && escaped'),
  tryTo('folder of hooks renamed', 'mv .git/hooks .git/other && mkdir .git/hooks && escaped'),
  tryTo('settings of git', 'git config core.fsmonitor evil; grep -q evil .git/config && escaped'),
  tryTo(
    'settings of git renamed over',
    'cp .git/config c; echo "# evil" >>c; mv -f c .git/config; grep -q evil .git/config && escaped',
  ),
  tryTo('hard link to the settings of git', 'ln .git/config c && echo "# evil" >>c && escaped'),
  tryTo(
    'settings of git for one work tree',
    'echo "# evil" >.git/config.worktree; grep -qs evil .git/config.worktree && escaped',
  ),
  tryTo('common folder of git elsewhere', 'echo ../evil >.git/commondir; grep -q evil .git/commondir && escaped'),
  tryTo('hooks of a submodule', 'echo x >.git/modules/sub/hooks/post-commit && escaped'),
  tryTo(
    'settings of a linked work tree',
    'echo ../evil >.git/worktrees/other/commondir; grep -q evil .git/worktrees/other/commondir && escaped',
  ),
  tryTo('.git renamed', 'mv .git moved && mkdir -p .git/hooks && escaped'),
  tryTo('.git removed', 'rm -rf .git; [ -d .git ] || { mkdir .git && escaped; }'),
  tryTo('.git made where there is none', 'rm -rf .git; mkdir -p .git/hooks && echo x >.git/config && escaped', plain),
  tryTo(
    '.git as a file where there is none',
    'rm -rf .git; echo "gitdir: evil" >.git && [ -f .git ] && escaped',
    plain,
  ),
  tryTo('.git as a link where there is none', 'mkdir evil; ln -sfn evil .git && [ -L .git ] && escaped', plain),
  tryTo('.git renamed away where there is none', 'mkdir -p .git; mv .git moved && escaped', plain),
  tryTo('.git of a linked work tree', 'echo "gitdir: evil" >.git; grep -q evil .git && escaped', {
    project: 'linked',
  }),
  tryTo('.git of a linked work tree replaced', 'rm -f .git; mkdir .git && escaped', { project: 'linked' }),
  tryTo('.cognition made', 'rm -rf .cognition; mkdir -p .cognition && echo x >.cognition/config && escaped'),
  tryTo(
    '.cognition in a project that is closed and can be opened',
    'chmod u+w . && mkdir -p .cognition && echo x >.cognition/config && escaped',
    { project: 'closed' },
  ),
  tryTo(
    'hooks of git in a folder that is closed and can be opened',
    'chmod u+w .git && mkdir -p .git/hooks && echo x >.git/hooks/post-commit && escaped',
    { project: 'closed' },
  ),
  tryTo('.cognition as a link', 'mkdir evil; ln -sfn evil .cognition && [ -L .cognition ] && escaped'),
];
