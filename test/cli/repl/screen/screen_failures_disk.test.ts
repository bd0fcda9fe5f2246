import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { killHub, withFolder } from '../../../support/hub.js';
import { say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { canMount, mountDisk, unmount } from '../../../support/mounts.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';
import { idle } from './screen_talk.js';

const DISK_SIZE = '24m';
const PAGE_BYTES = 4_096;

interface OnDisk {
  terminal: TestTerminal;
  server: ModelServer;
  home: string;
  /** Leaves no byte on the disk of the home folder; what it returns makes room again. */
  fill(): () => void;
}

/** A chat whose home folder has a small disk of its own. */
function withSmallDisk(use: (place: OnDisk) => Promise<void>): Promise<void> {
  return withModelServer((server) =>
    withFolder(async (folder) => {
      const [disk, work] = [join(folder, 'disk'), join(folder, 'work')];
      mkdirSync(disk);
      mkdirSync(work);
      mountDisk(disk, DISK_SIZE);
      const home = join(disk, 'home');
      const env = {
        ...{ COGNITION_HOME: home, HOME: userHomeBeside(work), COGNITION_MODEL: 'anthropic/claude-sonnet-5' },
        ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
      };
      try {
        const start = { command: process.execPath, args: [PROGRAM, 'chat'], cwd: work, env };
        await withTerminal(start, async (terminal) => {
          await terminal.waitFor('Commands: /help');
          await use({ terminal, server, home, fill: () => fill(disk) });
        });
      } finally {
        await killHub(home);
        unmount(disk);
      }
    }),
  );
}

function fill(disk: string): () => void {
  const ballast = join(disk, 'ballast');
  const { bavail, bsize } = statfsSync(disk);
  // A page at a time at last: what the disk needs for itself is not known.
  for (let bytes = bavail * bsize; bytes >= PAGE_BYTES; bytes -= PAGE_BYTES) {
    if (isWritten(ballast, bytes)) break;
  }
  return () => rmSync(ballast);
}

function isWritten(path: string, bytes: number): boolean {
  try {
    writeFileSync(path, Buffer.alloc(bytes));
    return true;
  } catch {
    return false; // it does not fit: a smaller one may
  }
}

async function begun({ terminal, server }: OnDisk): Promise<void> {
  server.script(say(words('One.')));
  terminal.type('hello', KEYS.enter);
  await terminal.waitFor('One.');
  await idle(terminal);
}

test.runIf(canMount)(
  'on a full disk what is sent comes back with a clear line, and is sent when there is room',
  async () => {
    await withSmallDisk(async (place) => {
      const { terminal, server } = place;
      await begun(place);
      const makeRoom = place.fill();
      terminal.type('a draft');
      await terminal.waitFor('what you write cannot be kept: the disk is full');
      terminal.type(KEYS.enter);
      await terminal.waitFor('the disk with the database is full; nothing of this call was stored\nhint: make room');
      await terminal.waitFor('> a draft');
      makeRoom();
      server.script(say(words('Two.')));
      terminal.type(KEYS.enter);
      await terminal.waitFor('Two.');
      expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('a draft');
    });
  },
);

test.runIf(canMount)(
  'a disk that is full in the middle of a turn ends that clearly, and no call seems to run on',
  async () => {
    await withSmallDisk(async (place) => {
      const { terminal, server } = place;
      server.script(bash('c1', 'echo begun; while [ ! -e go ]; do sleep 0.05; done; seq 1 30000'));
      terminal.type('begin', KEYS.enter);
      // It runs once it prints: before that, what it is kept in is still written.
      await terminal.waitFor(/^\[bash\] echo .* \d+ s\nbegun$/m);
      const makeRoom = place.fill();
      terminal.type(KEYS.escape);
      await terminal.waitFor('the disk with the database is full');
      await idle(terminal);
      expect(terminal.screen().join('\n')).not.toMatch(/^\[bash\] echo .* \d+ s$/m);
      makeRoom();
      server.script(say(words('Here I am.')));
      terminal.type('/retry', KEYS.enter);
      await terminal.waitFor('Here I am.');
    });
  },
);

test.runIf(canMount)(
  'where the home folder cannot be written each thing is said once, and what is said is kept',
  async () => {
    await withSmallDisk(async (place) => {
      const { terminal, server, home } = place;
      await begun(place);
      execFileSync('mount', ['--bind', home, home]);
      execFileSync('mount', ['-o', 'remount,ro,bind', home]);
      try {
        // The hub has its files open, so that only what is written anew fails.
        server.script(say(words('Two.')));
        terminal.type('more', KEYS.enter);
        await terminal.waitFor(/\(where you stand could not be saved:\s[^)]*\bEROFS\b/);
        await terminal.waitFor('Two.');
        await idle(terminal);
        await killHub(home);
        await terminal.waitFor('cannot be written to');
        terminal.type('and more', KEYS.enter);
        await terminal.waitFor('> and more');
        await terminal.waitFor('No hub can be reached. What you do next looks for it again.');
      } finally {
        unmount(home);
      }
      server.script(say(words('Three.')));
      terminal.type(KEYS.enter);
      await terminal.waitFor('Three.');
      expect(
        terminal
          .transcript()
          .join('\n')
          .match(/where you stand could not be saved/g),
      ).toHaveLength(1);
    });
  },
);

test.runIf(canMount)('a database that another program holds is told, and what was said comes back', async () => {
  await withSmallDisk(async (place) => {
    const { terminal, server, home } = place;
    await begun(place);
    const other = new Database(join(home, 'trees.db'));
    other.exec('BEGIN IMMEDIATE');
    terminal.type('while it is held', KEYS.enter);
    await terminal.waitFor('working…');
    await terminal.waitFor(/the database is held by another program.*\nhint: end what else has it open/);
    await terminal.waitFor('> while it is held');
    other.exec('ROLLBACK');
    other.close();
    server.script(say(words('Two.')));
    terminal.type(KEYS.enter);
    await terminal.waitFor('Two.');
  });
});

test.runIf(canMount)('a damaged database is told with what to do, and what was said comes back', async () => {
  await withSmallDisk(async (place) => {
    const { terminal, home } = place;
    await begun(place);
    await killHub(home);
    for (const end of ['', '-wal', '-shm']) rmSync(join(home, `trees.db${end}`), { force: true });
    writeFileSync(join(home, 'trees.db'), Buffer.alloc(40_000, 'x'));
    terminal.type('more', KEYS.enter);
    await terminal.waitFor(/the database is damaged\nhint: no hub can start with it: bring back a backup/);
    await terminal.waitFor('> more');
  });
});
