import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { TreeId } from '../../../../hub/protocol/node.js';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { connectTo, killHub, withHome } from '../../../support/hub.js';
import { breaking, say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';
import { idle, treeOn, withTalkOnScreen } from './screen_talk.js';

const isBubblewrapHere = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status === 0;
/** Everything as it is, but for the two programs that a sandbox is made with. */
const WITHOUT = ['/usr/bin/bwrap', '/usr/bin/unshare', '/usr/bin/perl'].flatMap((path) => [
  '--ro-bind',
  '/dev/null',
  path,
]);

interface Unsandboxed {
  server: ModelServer;
  home: string;
  folder: string;
  /** Opens a chat where no sandbox works. */
  chat<T>(args: readonly string[], use: (terminal: TestTerminal) => Promise<T>): Promise<T>;
}

function withoutSandbox(use: (place: Unsandboxed) => Promise<void>): Promise<void> {
  return withModelServer((server) =>
    withHome(async (home) => {
      const folder = join(dirname(home), 'work');
      mkdirSync(folder);
      const env = {
        ...{ COGNITION_HOME: home, HOME: userHomeBeside(folder), COGNITION_MODEL: 'anthropic/claude-sonnet-5' },
        ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin },
      };
      const program = ['--dev-bind', '/', '/', ...WITHOUT, process.execPath, PROGRAM, 'chat'];
      await use({
        ...{ server, home, folder },
        chat: (args, work) => withTerminal({ command: 'bwrap', args: [...program, ...args], cwd: folder, env }, work),
      });
    }),
  );
}

const MAY_PERMIT = /^y {2}allow it/m;

test('what is being written when a chat is killed stands in the editor of the next', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home, another }) => {
    server.script(say(words('One.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('One.');
    await idle(terminal);
    const tree = treeOn(terminal);
    mkdirSync(join(home, 'drafts'), { recursive: true });
    const kept = draftKept(home, tree, 'half a thought');
    terminal.type('half a thought');
    await kept;
    terminal.kill('SIGKILL');
    await terminal.exited;
    await another([tree], async (second) => {
      await second.waitFor('> half a thought');
    });
  });
});

test('what is written in one terminal is neither in the next of the conversation nor lost by what is sent there', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home, another }) => {
    server.script(say(words('One.')), say(words('Two.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('One.');
    await idle(terminal);
    const tree = treeOn(terminal);
    mkdirSync(join(home, 'drafts'), { recursive: true });
    const kept = draftKept(home, tree, 'half a thought');
    terminal.type('half a thought');
    await kept;
    await another([tree], async (second) => {
      await second.waitFor('> Say something');
      second.type('another', KEYS.enter);
      await second.waitFor('Two.');
    });
    terminal.kill('SIGKILL');
    await terminal.exited;
    await another([tree], async (third) => {
      await third.waitFor('> half a thought');
    });
  });
});

test('a turn whose chat is killed goes on, and is there when one comes back', async () => {
  await withTalkOnScreen([], async ({ terminal, server, another }) => {
    server.script(bash('c1', 'while [ ! -e go ]; do sleep 0.05; done; echo gone'), say(words('All done.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('begin', KEYS.enter);
    await terminal.waitFor('[bash] while');
    const tree = treeOn(terminal);
    terminal.kill('SIGKILL');
    await terminal.exited;
    await another([tree], async (second) => {
      await second.waitFor('(a turn that you began is running: you come along with it)');
      second.type('!!touch go', KEYS.enter);
      await second.waitFor('All done.');
    });
    await another([tree], async (third) => {
      await third.waitFor('All done.');
      expect(third.screen().join('\n')).not.toContain('is running');
    });
  });
});

test.runIf(isBubblewrapHere)(
  'a permission that is waited for outlives chat and hub, counts no seconds, and is given once from any terminal',
  async () => {
    await withoutSandbox(async ({ server, home, folder, chat }) => {
      server.script(bash('c1', 'touch one'), say(words('All done.')));
      const tree = await chat([], async (terminal) => {
        await terminal.waitFor(/^Sandbox: none works here, so each command asks you first\. Why: cognition doctor$/m);
        terminal.type('go', KEYS.enter);
        await terminal.waitFor(MAY_PERMIT);
        expect(terminal.screen()).toContain('[bash] touch one  waits for you');
        terminal.type('half a thought');
        await killHub(home);
        await terminal.waitFor('(the hub had ended, and runs again)');
        terminal.type(KEYS.control('u'));
        await terminal.waitFor(MAY_PERMIT);
        const made = treeOn(terminal);
        terminal.kill('SIGKILL');
        await terminal.exited;
        return made;
      });
      expect(existsSync(join(folder, 'one'))).toBe(false);
      await chat([tree], (one) =>
        chat([tree], async (other) => {
          await one.waitFor(MAY_PERMIT);
          await other.waitFor(MAY_PERMIT);
          expect(one.screen().join('\n')).not.toContain('is running');
          one.type('y');
          other.type('n');
          await one.waitFor('All done.');
          await other.waitFor('All done.');
          await idle(one);
          await idle(other);
          for (const terminal of [one, other]) {
            expect(terminal.screen().join('\n')).not.toMatch(MAY_PERMIT);
            expect(terminal.screen().join('\n')).not.toContain('waits for you');
          }
        }),
      );
      expect(server.requests).toHaveLength(2);
    });
  },
);

test('who goes to another conversation while a turn runs sees nothing of it there', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say(words('One.')), bash('c1', 'while [ ! -e go ]; do sleep 0.05; done'), say(words('Two.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('first', KEYS.enter);
    await terminal.waitFor('One.');
    await idle(terminal);
    const first = treeOn(terminal).slice(0, 8);
    terminal.type('/new', KEYS.enter);
    await terminal.waitFor((screen) => screen.filter((row) => row.startsWith('Tree: ')).length === 2);
    terminal.type('second', KEYS.enter);
    await terminal.waitFor(/^\[bash\] while .* \d+ s$/m);
    terminal.type(`/use ${first}`, KEYS.enter);
    await terminal.waitFor('Resuming conversation');
    await terminal.waitFor(new RegExp(`${first} at`));
    expect(terminal.screen().join('\n')).not.toMatch(/\[bash\] while|Esc stops/);
    terminal.type('!!touch go', KEYS.enter);
    await terminal.waitFor('(not kept');
    expect(terminal.screen()).not.toContain('Two.');
  });
});

test('a conversation that is renamed by another terminal is called so, and one that is deleted while a turn runs says so', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home, folder }) => {
    server.script(bash('c1', 'while [ ! -e go ]; do sleep 0.05; done'), say(words('Two.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('begin', KEYS.enter);
    await terminal.waitFor('[bash] while');
    const client = await connectTo(home);
    const tree = TreeId.parse(treeOn(terminal));
    await client.call('loom.tree_update', { tree, name: 'my talk' });
    await terminal.waitFor('my talk at');
    const { confirm } = await client.call('loom.tree_purge', { tree });
    await client.call('loom.tree_purge', { tree, confirm });
    await client.close();
    await terminal.waitFor('(this conversation has been deleted for good)');
    writeFileSync(join(folder, 'go'), '');
    await terminal.waitFor('start a conversation with /new');
    await idle(terminal);
    expect(terminal.screen().join('\n')).not.toMatch(/loom\.|^\[bash\] while .* \d+ s$/m);
  });
});

test('a model that says nothing is waited for in sight, and Esc ends that', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(breaking('hang'));
    await terminal.waitFor('Commands: /help');
    terminal.type('hello', KEYS.enter);
    await server.hanging();
    await terminal.waitFor(/^working \d+ s, Esc stops$/m);
    terminal.type(KEYS.escape);
    await terminal.waitFor('Interrupted. Go on with: /retry');
  });
});

/** Resolves when a draft is on the disk that has this text in it. */
function draftKept(home: string, tree: string, text: string): Promise<void> {
  const folder = join(home, 'drafts');
  const isKept = (name: string): boolean =>
    name.startsWith(tree) && readFileSync(join(folder, name), 'utf8').includes(text);
  return new Promise((resolve) => {
    const look = (): void => {
      if (!readdirSync(folder).some((name) => name.endsWith('.json') && isKept(name))) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(home, { recursive: true }, look);
    look();
  });
}
