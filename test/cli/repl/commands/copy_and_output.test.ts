import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { bash } from '../conversation/talk.js';
import { standsAt, withModel, withNotes } from './command_talk.js';

test('!command is kept and shown to the model, !!command is neither', async () => {
  await withNotes(async ({ does }) => {
    expect(await does('!echo kept', /^kept$/m)).toMatch(/^\n\[bash\] echo kept\nkept\n/);
    await does('!!echo gone', '(not kept: it is no part of the conversation, and no model is shown it)');
    expect(await does('/tree', 'you are here')).toMatch(/^\(root\)\n \[bash:echo kept\] +● you are here\n/);
    await does('!exit 3', /exit(?:ed with)? 3|exit code 3/);
  });
});

test('/output prints all of the last command, or of one that is named', async () => {
  await withModel(
    async ({ terminal, does, server }) => {
      server.script(bash('c1', 'seq 1 300'), say(words('They are counted.')));
      await does('count', 'They are counted.');
      await terminal.waitFor((screen) => !screen.join('\n').includes('Esc stops'));
      const all = await does('/output', /^300$/m);
      expect(all.split('\n').slice(0, 300)).toEqual(Array.from({ length: 300 }, (_, number) => `${number + 1}`));
      await does('/output @', /^They are counted\.$/m);
    },
    { env: { COGNITION_PAGER: 'cat' } },
  );
});

test('/output of many lines goes through the pager, and leaves the chat as it was', async () => {
  await withModel(
    async ({ terminal, does, server, folder }) => {
      server.script(bash('c1', 'seq 1 12000'), say(words('They are counted.')));
      await does('count', 'They are counted.');
      await terminal.waitFor((screen) => !screen.join('\n').includes('Esc stops'));
      const told = await does('/output', 'these are the first');
      expect(told).toMatch(
        /^\n?\(1\d,\d{3} lines, shown in the pager\)\n\(these are the first 1\d,\d{3} lines; all of\s+them, in a shell:/,
      );
      expect(readFileSync(join(folder, 'paged'), 'utf8')).toMatch(/^1\n2\n3\n/);
    },
    { env: { COGNITION_PAGER: 'tee paged > /dev/null' } },
  );
});

test('/copy says what was copied: the last answer, or a node that is named', async () => {
  await withModel(async ({ terminal, does, server }) => {
    server.script(say(words('Twelve bytes')));
    await does('/copy', 'there is no answer yet');
    await does('say it', 'Twelve bytes');
    await terminal.waitFor((screen) => !screen.join('\n').includes('Esc stops'));
    await does('/copy', `(copied 12 bytes of ${standsAt(terminal)})`);
    await does('/back', 'You are at');
    await does('/copy @', `(copied 6 bytes of ${standsAt(terminal)})`);
    expect(terminal.raw()).toContain(Buffer.from('Twelve bytes').toString('base64'));
  });
});

test('/context shows the path that a model would be sent, /context --model exactly that', async () => {
  await withModel(async ({ does, server }) => {
    server.script(say(words('An answer.')));
    await does('a question', 'An answer.');
    const path = await does('/context', /Assistant {2}just now\nAn answer\./);
    expect(path).toMatch(/^[0-9a-f]{8} User {2}just now\na question\n\n/);
    await does('/context root', 'Nothing has been said up to here.');
    await does('/context --model', /An answer\./);
  });
});

test('/export writes the branch on the screen or into a file, which is not replaced unasked', async () => {
  await withNotes(async ({ folder, does }) => {
    await does('one', 'notes');
    await does('two', ' at ');
    await does('/export', /User: one\n\nUser: two\n/);
    await does('/export --format markdown --output talk.md', 'Wrote talk.md');
    expect(readFileSync(join(folder, 'talk.md'), 'utf8')).toContain('two');
    await does('/export --output talk.md', 'talk.md is there already');
    await does('/export root --output empty.txt', 'Wrote empty.txt');
    expect(existsSync(join(folder, 'empty.txt'))).toBe(true);
  });
});

test('/log tells all that happened in the tree, in order', async () => {
  await withNotes(async ({ does }) => {
    await does('one', 'notes');
    await does('/back', 'You are at');
    await does('two', ' at ');
    expect(await does('/log', 'User: two')).toMatch(
      /\(root\)\n\S+ \S+ {2}[0-9a-f]{8} {2}User: one\n\S+ \S+ {2}[0-9a-f]{8} {2}User: two\n/,
    );
  });
});

test('/search finds in this conversation or everywhere, and says where there is more', async () => {
  await withNotes(async ({ does }) => {
    await does('an apple', 'notes');
    await does('a pear', ' at ');
    const found = await does('/search APPLE', /an apple/);
    expect(found).toMatch(/^[0-9a-f]{8} {2}User {2}just now {2}in [0-9a-f]{8}\n {2}an apple\n/);
    await does('/search a --limit 1', 'There is more. See it with --limit 10');
    await does('/search cherry', 'Nothing found.');
    await does('/new', 'Starting new conversation');
    await does('/search pear', 'Nothing found.');
    await does('/search pear --everywhere', /a pear/);
  });
});

test('/compare tells what two branches do not share', async () => {
  await withNotes(async ({ does }) => {
    await does('one', 'notes');
    await does('left', ' at ');
    await does('/mark left', 'Marked');
    await does('/fork', 'Created branch');
    await does('right', ' at ');
    const told = await does('/compare left @', /Only in [0-9a-f]{8}: 1 node\n.*right/s);
    expect(told).toMatch(
      /^Common ancestor: [0-9a-f]{8} User: one\n\nOnly in [0-9a-f]{8}: 1 node\n {2}[0-9a-f]{8} User: left\n/,
    );
  });
});

test('/mark names a place, lists the names and takes them away', async () => {
  await withNotes(async ({ terminal, does, tree }) => {
    await does('/mark', 'No marks yet. Set one with: /mark <name>');
    await does('one', 'notes');
    await terminal.waitFor(() => standsAt(terminal) !== tree().slice(0, 8));
    const one = standsAt(terminal);
    await does('/mark Bücher', `Marked ${one} as "Bücher".`);
    await does('/mark start root', `Marked ${tree().slice(0, 8)} as "start".`);
    expect(await does('/mark', 'start')).toMatch(new RegExp(`${one} {2}just now {2}Bücher\n`));
    await does('/mark start --remove', 'Removed the mark "start".');
    await does('/goto start', 'no node "start" in tree');
    await does('/mark root', '"root" always means the root, so it cannot be a mark');
  });
});

test('functions, aliases and the umask of !commands live on, on their branch, until /reset', async () => {
  await withNotes(async ({ does }) => {
    await does('!greet() { echo "hello $1"; }', '[bash] greet()');
    await does('!alias ll="echo listed"; umask 027; export KEPT=kept', '[bash] alias');
    await does('!greet you; umask', /^hello you\n0027$/m);
    await does('!ll one two', /^listed one two$/m);
    await does('/goto root', 'You are at');
    await does('!greet you', 'greet: command not found');
    await does('/back', 'You are at');
    await does('/reset', 'Your next command begins in a new shell, in the same folder.');
    await does('!echo "<$KEPT>"', /^<>$/m);
    await does('/leaves', /^ +3\. .*4 nodes/m);
    await does('/switch 3', 'You are at');
    await does('!ll three', /^listed three$/m);
    await does('/reset', 'Your next command begins in a new shell');
    // One that is not kept leaves nothing, and takes nothing from the next.
    await does('!!ll three', 'll: command not found');
    await does('!greet you', 'greet: command not found');
    await does('!echo "<$KEPT>"; umask', /^<>\n(?!0027)\d{4}$/m);
  });
});
