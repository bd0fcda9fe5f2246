import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { killHub } from '../../../support/hub.js';
import { breaking, say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { idle, treeOn, withTalkOnScreen } from '../screen/screen_talk.js';
import { waitForEditor } from '../writing/seen.js';
import { bash } from './talk.js';

/** Resolves with what ends a command that reads a pipe, once that has begun. */
async function pipeIn(folder: string): Promise<() => Promise<void>> {
  const pipe = await open(join(folder, 'pipe'), 'w');
  return () => pipe.close();
}

test('Enter while a turn runs says it to the turn', async () => {
  await withTalkOnScreen([], async ({ terminal, server, folder }) => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    server.script(bash('c1', 'cat pipe'), say(words('Done.')));
    await terminal.waitFor('Tree: ');
    terminal.type('begin', KEYS.enter);
    const end = await pipeIn(folder);
    await terminal.waitFor('[bash] cat pipe');
    terminal.type('and be quick', KEYS.enter);
    await terminal.waitFor('steers: and be quick');
    await end();
    const screen = await terminal.waitFor('Done.');
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('and be quick');
    expect(screen.join('\n')).toMatch(/\n\[bash\] cat pipe[\s\S]*\n> and be quick\n\nDone\./);
    expect(screen.join('\n')).not.toContain('steers:');
  });
});

test('of a line that a command writes over and over what it says last is shown, while it runs and after it', async () => {
  const progress = String.raw`printf 'begin\n10%%\r20%%\r30%%'`;
  await withTalkOnScreen([], async ({ terminal, server, folder }) => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    server.script(bash('c1', `${progress}; cat pipe; printf '\\r100%%\\n'`), say(words('Done.')));
    await terminal.waitFor('Tree: ');
    terminal.type('begin', KEYS.enter);
    const end = await pipeIn(folder);
    await terminal.waitFor(/^begin\n30%$/m);
    await end();
    await terminal.waitFor(/\nbegin\n100%\n\nDone\./);
    await idle(terminal);
    terminal.type(`!${progress}; printf '\\rover\\n'`, KEYS.enter);
    const screen = await terminal.waitFor(/\nbegin\nover\n/);
    expect(screen.join('\n')).not.toMatch(/^[123]0%/m);
  });
});

test('who stops a command that floods the screen sees no more of the flood, and what a command says at its end', async () => {
  await withTalkOnScreen([], async ({ terminal }) => {
    await terminal.waitFor('Tree: ');
    terminal.type('!yes flood', KEYS.enter);
    await terminal.waitFor('flood\nflood\nflood');
    terminal.type(KEYS.escape);
    await terminal.waitFor('(ended by SIGINT)');
    expect(terminal.raw()).toMatch(/\(\d.*B are not shown\)/);
    terminal.type(`!bash -c "trap 'echo summary; exit 3' INT; echo begun; sleep 600"`, KEYS.enter);
    await terminal.waitFor(/^begun$/m);
    terminal.type(KEYS.escape);
    await terminal.waitFor(/^begun\nsummary\n\(/m);
  });
});

test('Alt-Enter while a turn runs is said when the model has answered', async () => {
  await withTalkOnScreen([], async ({ terminal, server, folder }) => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    server.script(bash('c1', 'cat pipe'), say(words('First.')), say(words('Second.')));
    await terminal.waitFor('Tree: ');
    terminal.type('begin', KEYS.enter);
    const end = await pipeIn(folder);
    await terminal.waitFor('[bash] cat pipe');
    terminal.type('then this', KEYS.altEnter);
    await terminal.waitFor('queued: then this');
    await end();
    const screen = await terminal.waitFor('Second.');
    expect(screen.join('\n')).toMatch(/First\.\n\n> then this\n\nSecond\./);
  });
});

test('Esc stops a turn, what was said is kept, and what waits comes back into the editor', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(breaking('hang', words('Once upon a time')), say(words('The end.')));
    await terminal.waitFor('Tree: ');
    terminal.type('tell me a story', KEYS.enter);
    await terminal.waitFor('Once upon a time');
    terminal.type('a short one', KEYS.enter);
    await terminal.waitFor('steers: a short one');
    terminal.type(KEYS.escape);
    await terminal.waitFor('Interrupted. Go on with: /retry');
    await terminal.waitFor('> a short one');
    terminal.type(KEYS.control('u'), '/retry', KEYS.enter);
    await terminal.waitFor('The end.');
    terminal.type('/tree', KEYS.enter);
    const screen = await terminal.waitFor('● you are here');
    expect(screen.join('\n')).toMatch(
      / User: tell me a story\n Assistant: Once upon a time \[interrupted\]\n(?: User: Go on.*\n)? Assistant: The end\. +●/,
    );
  });
});

test('who writes while something comes back into the editor goes on where they are', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(breaking('hang', words('Once upon a time')));
    await terminal.waitFor('Tree: ');
    terminal.type('tell me a story', KEYS.enter);
    await terminal.waitFor('Once upon a time');
    terminal.type('a short one', KEYS.enter);
    await terminal.waitFor('steers: a short one');
    terminal.type('being written', KEYS.left);
    await waitForEditor(terminal, 'being writte|n');
    terminal.type(KEYS.escape);
    await waitForEditor(terminal, 'a short one/being writte|n');
    terminal.type(KEYS.control('_'));
    await waitForEditor(terminal, 'being writte|n');
  });
});

test('all that waits comes back in its order when Esc stops a turn, however much it is', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    const count = 100;
    server.script(breaking('hang', words('Once upon a time')));
    await terminal.waitFor('Tree: ');
    terminal.type('tell me a story', KEYS.enter);
    await terminal.waitFor('Once upon a time');
    for (let number = 1; number <= count; number += 1) {
      terminal.type(`words ${number}`, KEYS.enter);
      await terminal.waitFor(number <= 3 ? `steers: words ${number}` : `  and ${number - 3} more`);
    }
    terminal.type('one too many', KEYS.enter);
    await terminal.waitFor('hint: wait for the step under way, or take it back: Esc, which ends the turn');
    await terminal.waitFor('> one too many');
    terminal.type(KEYS.control('u'), KEYS.escape);
    await terminal.waitFor('Interrupted. Go on with: /retry');
    await idle(terminal);
    terminal.type(KEYS.enter);
    await terminal.waitFor('Hello.');
    const said = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(said).toContain('words 1\\nwords 2\\nwords 3');
    expect(said).toContain(`words ${count - 1}\\nwords ${count}`);
  });
});

test('Ctrl-C clears what is written, then stops, then leaves when it is pressed twice', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(breaking('hang', words('Once upon a time')));
    await terminal.waitFor('Tree: ');
    terminal.type('tell me a story', KEYS.enter);
    await terminal.waitFor('Once upon a time');
    terminal.type('something else');
    await terminal.waitFor('> something else');
    terminal.type(KEYS.control('c'));
    await terminal.waitFor('Cleared. Ctrl-_ brings it back.');
    terminal.type(KEYS.control('c'));
    await terminal.waitFor('Interrupted.');
    await idle(terminal);
    terminal.type(KEYS.control('c'));
    await terminal.waitFor('Ctrl-C once more leaves');
    terminal.type(KEYS.control('c'));
    expect(await terminal.exited).toMatchObject({ code: 0 });
    expect(terminal.transcript().join('\n')).toContain('Session saved. Resume with');
  });
});

test('who leaves in the middle of a turn finds it at its end', async () => {
  await withTalkOnScreen([], async ({ terminal, server, folder, another }) => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    server.script(bash('c1', 'cat pipe'), say(words('Here it is.')), say(words('More.')));
    await terminal.waitFor('Tree: ');
    terminal.type('begin', KEYS.enter);
    const end = await pipeIn(folder);
    await terminal.waitFor('[bash] cat pipe');
    terminal.type(KEYS.control('d'));
    await terminal.exited;
    expect(terminal.transcript().join('\n')).toContain('(the turn goes on without you');
    const tree = treeOn(terminal);
    await another([tree], async (second) => {
      await second.waitFor('(a turn that you began is running: you come along with it)');
      await second.waitFor('[bash] cat pipe');
      await end();
      await second.waitFor('Here it is.');
      second.type('and more', KEYS.enter);
      await second.waitFor('More.');
      second.type('/tree', KEYS.enter);
      const screen = await second.waitFor('● you are here');
      expect(screen.join('\n')).toMatch(
        / User: begin\n \[bash:cat pipe\]\n Assistant: Here it is\.\n User: and more\n Assistant: More\./,
      );
    });
  });
});

test('a turn that ended while nobody was there is told when one comes back', async () => {
  await withTalkOnScreen([], async ({ terminal, server, folder, another }) => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    server.script(bash('c1', 'cat pipe'), breaking('hang'));
    await terminal.waitFor('Tree: ');
    terminal.type('begin', KEYS.enter);
    const end = await pipeIn(folder);
    await terminal.waitFor('[bash] cat pipe');
    terminal.type(KEYS.control('d'));
    await terminal.exited;
    await end();
    await server.hanging();
    await another([treeOn(terminal), '--accessible'], async (second) => {
      await second.waitFor('The turn that you began is under way, and you have come along');
    });
  });
});

test('a hub that is killed in the middle of a turn loses nothing, and one goes on', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home }) => {
    server.script(bash('c1', 'echo one'), breaking('hang', words('Half an')), say(words('Whole.')));
    await terminal.waitFor('Tree: ');
    terminal.type('begin', KEYS.enter);
    await terminal.waitFor('Half an');
    terminal.type('draft');
    await killHub(home);
    await terminal.waitFor('Interrupted: the hub has ended. Go on with: /retry');
    await terminal.waitFor('> draft');
    terminal.type(KEYS.control('u'), '/retry', KEYS.enter);
    await terminal.waitFor('Whole.');
    await idle(terminal);
    terminal.type('/tree', KEYS.enter);
    const screen = await terminal.waitFor('● you are here');
    expect(screen.join('\n')).toMatch(
      / User: begin\n \[bash:echo one\]\n(?: Assistant: Half an.*\n)?(?: User: Go on.*\n)? Assistant: Whole\./,
    );
  });
});

test('two terminals in one tree see each other, and two writers at one node make two branches', async () => {
  await withTalkOnScreen([], async ({ terminal, server, another }) => {
    server.script(say(words('First.')), say(words('From one.')), say(words('From two.')));
    await terminal.waitFor('Tree: ');
    terminal.type('begin', KEYS.enter);
    await terminal.waitFor('First.');
    await another([treeOn(terminal)], async (second) => {
      await second.waitFor('First.');
      terminal.type('one goes on', KEYS.enter);
      await terminal.waitFor('From one.');
      await second.waitFor('Another terminal: one goes on');
      await second.waitFor('From one.');
      second.type('two goes on', KEYS.enter);
      await second.waitFor('From two.');
      await second.waitFor('another terminal went on from here as well');
      await terminal.waitFor('(another terminal wrote here; that made a branch');
      second.type('/tree', KEYS.enter);
      const screen = await second.waitFor('● you are here');
      expect(screen.join('\n')).toMatch(
        /├── User: one goes on\n │ {3}Assistant: From one\.\n User: two goes on\n Assistant: From two\. +●/,
      );
    });
  });
});

test('with --accessible there are labelled lines and no control sequences on a terminal', async () => {
  await withTalkOnScreen(['--accessible'], async ({ terminal, server }) => {
    server.script(bash('c1', 'echo hi'), say(words('Done.')));
    await terminal.waitFor(/^>$/m);
    terminal.type('begin', KEYS.enter);
    await terminal.waitFor(/Assistant: Done\.\n+>$/m);
    terminal.type('/stop', KEYS.enter);
    await terminal.waitFor('Nothing is running.');
    terminal.type('/quit', KEYS.enter);
    expect(await terminal.exited).toMatchObject({ code: 0 });
    expect(terminal.raw()).not.toContain('\x1b');
    expect(terminal.raw().trimEnd()).toMatch(/Session saved\. Resume with: cognition chat [0-9a-f]{8}$/);
  });
});
