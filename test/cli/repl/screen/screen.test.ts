import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS, type TestTerminal, withChat } from '../../../support/terminal.js';
import { bash } from '../conversation/talk.js';
import { idle, withTalkOnScreen } from './screen_talk.js';

async function says(terminal: TestTerminal, line: string, answer: string): Promise<void> {
  terminal.type(line, KEYS.enter);
  await terminal.waitFor(answer);
  await idle(terminal);
}

test('the example of the requirements on a terminal', async () => {
  await withTalkOnScreen([], async ({ terminal, server, folder }) => {
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src', 'main.py'), 'print("main")\n');
    writeFileSync(join(folder, 'src', 'utils.py'), 'print("utils")\n');
    server.script(
      bash('c1', 'ls src/*.py'),
      say(words('I found 2 Python files in src/.')),
      bash('c2', 'cat src/main.py'),
      say(words("Here's the contents of main.py.")),
      bash('c3', 'cat src/utils.py'),
      say(words("Here's utils.py.")),
    );
    await terminal.waitFor('Tree: ');
    await says(terminal, 'list the python files in src/', 'I found 2 Python files');
    await says(terminal, 'show me the contents of main.py', "Here's the contents of main.py.");
    terminal.type('/fork', KEYS.enter);
    await terminal.waitFor('alternative to "show me the contents of main.py".');
    await says(terminal, 'actually, show me utils.py instead', "Here's utils.py.");
    terminal.type('/branches', KEYS.enter);
    await terminal.waitFor('2. → "show me the contents of main.py"');
    terminal.type('/quit', KEYS.enter);
    expect(await terminal.exited).toEqual({ code: 0, signal: 0 });
    const id = /Tree: ([0-9a-f-]{36})/.exec(terminal.transcript().join('\n'))?.[1] ?? '';
    const shown = terminal.transcript().map((line) => line.replace(/ +[0-9a-f]{8} {1,2}\d nodes {1,2}just.*/, ''));
    const talk = shown.filter((line) => !/^(Model|Sandbox|Commands|Transcript):( |$)|^[^ ]*\.json$/.test(line));
    expect(talk.join('\n').trimEnd()).toBe(`Starting new conversation...
Tree: ${id}\nFolder: ${folder}

> list the python files in src/

[bash] ls src/*.py
src/main.py
src/utils.py

I found 2 Python files in src/.

> show me the contents of main.py

[bash] cat src/main.py
print("main")

Here's the contents of main.py.

> /fork
Created branch at current position.
Your next message is an alternative to "show me the contents of main.py".

> list the python files in src/
(1 call between: /context)

I found 2 Python files in src/.

> actually, show me utils.py instead

[bash] cat src/utils.py
print("utils")

Here's utils.py.

> /branches
Current node has 2 branches:
  1. [current] → "actually, show me utils.py instead"
  2. → "show me the contents of main.py"

> /quit
Session saved. Resume with: cognition chat ${id.slice(0, 8)}`);
    expect(terminal.modes()).toMatchObject({ alternate: false, mouse: false, pasteBracketed: false });
    expect(terminal.cursor().visible).toBe(true);
  });
});

test.each([
  { columns: 20, rows: 6 },
  { columns: 200, rows: 60 },
])('a short talk is readable in $columns columns and $rows rows', (size) =>
  withChat({ args: ['--model', 'demo'], size }, async (terminal) => {
    await terminal.waitFor(/^> /m);
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor((screen) => /demo|can do/.test(screen.join('')));
    terminal.type('数据 👩‍👩‍👧');
    const screen = await terminal.waitFor('数据');
    expect(terminal.cursor()).toMatchObject({ visible: true });
    expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(size.columns);
    terminal.type(KEYS.control('u'), KEYS.control('d'));
    expect(await terminal.exited).toMatchObject({ code: 0 });
    expect(terminal.transcript().join('')).toContain('Session saved.');
  }),
);

test('what was being written when the terminal was closed stands there again', async () => {
  await withTalkOnScreen([], async ({ terminal, another, server }) => {
    server.script(say(words('First.')));
    await terminal.waitFor('Tree: ');
    terminal.type('one', KEYS.enter);
    await terminal.waitFor('First.');
    await idle(terminal);
    terminal.type('half a sen');
    await terminal.waitFor('> half a sen');
    terminal.kill('SIGTERM');
    await terminal.exited;
    expect(terminal.modes()).toMatchObject({ alternate: false, pasteBracketed: false });
    await another(['@'], async (second) => {
      await second.waitFor('> half a sen');
      second.type(KEYS.control('u'), KEYS.up);
      await second.waitFor(/^> one$/m);
    });
  });
});

test('/compact has the path summarised, and one stands at the summary', async () => {
  await withTalkOnScreen([], async ({ terminal, server }) => {
    server.script(say(words('First.')), say(words('They talked about firsts.')), say(words('Second.')));
    await terminal.waitFor('Tree: ');
    terminal.type('one', KEYS.enter);
    await terminal.waitFor('First.');
    await idle(terminal);
    terminal.type('/compact', KEYS.enter);
    await terminal.waitFor(/Summary: .*They talked about firsts\./s);
    await idle(terminal);
    terminal.type('two', KEYS.enter);
    await terminal.waitFor('Second.');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).not.toContain('First.');
  });
});
