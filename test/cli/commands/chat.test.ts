import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../hub/agent/turn/turn_calls.js';
import { say } from '../../support/model/script.js';
import { bash, withTalk } from '../repl/conversation/talk.js';

test('the chat example of the requirements works from the first line to the last', async () => {
  await withTalk(async ({ cli, server, chat }) => {
    mkdirSync(join(cli.folder, 'src'));
    writeFileSync(join(cli.folder, 'src', 'main.py'), 'print("main")\n');
    writeFileSync(join(cli.folder, 'src', 'utils.py'), 'print("utils")\n');
    server.script(
      bash('c1', 'ls src/*.py'),
      say(words('I found 2 Python files in src/.')),
      bash('c2', 'cat src/main.py'),
      say(words("Here's the contents of main.py.")),
      bash('c3', 'cat src/utils.py'),
      say(words("Here's utils.py.")),
    );
    const { code, stdout, stderr } = await chat([
      'list the python files in src/',
      'show me the contents of main.py',
      '/tree --nested',
      '/fork',
      'actually, show me utils.py instead',
      '/branches',
      '/quit',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Transcript: .*\.json\n$/) });
    const id = /^Tree: ([0-9a-f-]{36})$/m.exec(stdout)?.[1] ?? '';
    const ages = stdout.replaceAll(/ +[0-9a-f]{8} {2}\d nodes {2}just now/g, '');
    expect(ages).toBe(`Starting new conversation...
Tree: ${id}\nFolder: ${cli.folder}

> list the python files in src/

[bash] ls src/*.py
src/main.py
src/utils.py

I found 2 Python files in src/.

> show me the contents of main.py

[bash] cat src/main.py
print("main")

Here's the contents of main.py.

> /tree --nested
└── (root)
    └── User: list the python files in src/
        └── [bash:ls src/*.py]
            └── Assistant: I found 2 Python files in src/.
                └── User: show me the contents of main.py
                    └── [bash:cat src/main.py]
                        └── Assistant: Here's the contents of main.py.          ● you are here

> /fork
Created branch at current position.
Your next message is an alternative to "show me the contents of main.py".

> actually, show me utils.py instead

[bash] cat src/utils.py
print("utils")

Here's utils.py.

> /branches
Current node has 2 branches:
  1. [current] → "actually, show me utils.py instead"
  2. → "show me the contents of main.py"

> /quit
Session saved. Resume with: cognition chat ${id.slice(0, 8)}
`);
  });
});
