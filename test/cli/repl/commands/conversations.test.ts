import { expect, test } from 'vitest';
import { REPL_COMMANDS } from '../../../../cli/repl/commands/chat_command_table.js';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { standsAt, withModel, withNotes } from './command_talk.js';

test('/new starts another conversation, with a name when one is given that is free', async () => {
  await withNotes(async ({ terminal, does, tree }) => {
    await does('one', 'notes');
    await does('/rename Garden', `${tree().slice(0, 8)} is called "Garden" now.`);
    const first = tree();
    const refused = await does('/new Garden', 'there is a conversation named "Garden" already');
    expect(refused).toContain('hint: choose another name, or go on in that one: /use Garden');
    expect(terminal.screen().at(-1)).toContain(' Garden at ');
    await does('/new "The sea"', 'It is called "The sea".');
    const second = tree();
    expect(second).not.toBe(first);
    await terminal.waitFor(() => standsAt(terminal) === second.slice(0, 8));
    await does('/new', 'Starting new conversation...');
    expect(tree()).not.toBe(second);
  });
});

test('the tokens in the row at the bottom are those of the open conversation', async () => {
  await withModel(
    async ({ terminal, does, server }) => {
      server.script(say(words('Good morning.')));
      await does('hello', /\[ i:[1-9]/);
      await does('/new', 'Starting new conversation...');
      await terminal.waitFor(/\[ Execute \] \[ NET: off \]/);
    },
    { size: { columns: 160, rows: 24 } },
  );
});

test('/use goes to another conversation by its name, by its id, and comes back', async () => {
  await withNotes(async ({ terminal, does, tree }) => {
    await does('about apples', 'notes');
    const [apples, id] = [tree(), standsAt(terminal)];
    await does('/new Pears', 'It is called "Pears".');
    await does('about pears', ' at ');
    await does(`/use ${apples.slice(0, 6)}`, /Resuming conversation\.\.\.\nTree: .*\nFolder: .*\n\n> about apples\n/);
    await terminal.waitFor((screen) => screen.at(-1)?.includes(`${apples.slice(0, 8)} at`) === true);
    expect(id).not.toBe('');
    await does('/use Pears', /Resuming conversation "Pears"\.\.\.\nTree: .*\nFolder: .*\n\n> about pears\n/);
  });
});

test('the row at the bottom names the model of the conversation that one goes to', () =>
  withNotes(async ({ terminal, does, tree, another }) => {
    await does('/model demo', 'demo/demo answers');
    await does('hello', 'no AI');
    await another(async ({ terminal: second, does: doesThere }) => {
      const names = (model: string) => second.waitFor((screen) => screen.at(-1)?.includes(` ${model} `) === true);
      await names('demo/demo');
      await doesThere('/new', 'Starting new conversation...');
      await names('no model');
      await doesThere(`/use ${tree().slice(0, 8)}`, 'Resuming conversation');
      await names('demo/demo');
    });
    expect(terminal.screen().at(-1)).toContain('demo/demo');
  }));

test('/fork --tree makes the branch a conversation of its own and goes there; the other one stays as it is', async () => {
  await withNotes(async ({ does, tree }) => {
    await does('about apples', 'notes');
    const first = tree().slice(0, 8);
    const said = await does('/fork --tree', 'a conversation of its own');
    expect(said.replace(/\s+/g, ' ')).toContain(`back to the other one: /use ${first}`);
    expect(tree().slice(0, 8)).not.toBe(first);
    await does('about pears', ' at ');
    expect(await does('/tree', 'you are here')).toMatch(/about apples[\s\S]*about pears/);
    await does(`/use ${first}`, 'Resuming conversation...');
    expect(await does('/tree', 'you are here')).not.toContain('about pears');
  });
});

test('/rename names the conversation, refuses the name of another, and takes the name away', async () => {
  await withNotes(async ({ does, tree }) => {
    await does('one', 'notes');
    const first = tree().slice(0, 8);
    await does('/rename The sea', `${first} is called "The sea" now.`);
    await does('/new', 'Starting new conversation...');
    await does('/rename The sea', 'there is a tree named "The sea" already');
    await does('/rename "数据 and more"', 'is called "数据 and more" now.');
    await does('/rename --remove', 'has no name now.');
  });
});

test.each([
  { columns: 80, rows: 24, tells: / A somewhat longer n… at ([0-9a-f]{8})$/ },
  { columns: 60, rows: 12, tells: / at ([0-9a-f]{8})$/ },
])('in $columns columns the row at the bottom says where one stands, whatever the name', async ({ tells, ...size }) => {
  await withNotes(
    async ({ terminal, tree }) => {
      terminal.type('/rename A somewhat longer name for our summer holidays', KEYS.enter);
      const place = (screen: readonly string[]): string => tells.exec(screen.at(-1) ?? '')?.[1] ?? '';
      const named = await terminal.waitFor((screen) => place(screen) !== '');
      expect(tree().startsWith(place(named))).toBe(true);
      terminal.type('a note', KEYS.enter);
      await terminal.waitFor((screen) => place(screen) !== '' && !tree().startsWith(place(screen)));
    },
    { size },
  );
});

test('/list with an option lists the conversations, newest activity first, with a star at the open one', async () => {
  await withNotes(async ({ does, tree }) => {
    await does('one', 'notes');
    const first = tree().slice(0, 8);
    await does('/new Second', 'It is called "Second".');
    const second = tree().slice(0, 8);
    const listed = await does('/list --here', '1 message ');
    expect(listed).toMatch(
      new RegExp(
        `^\\* ${second} {2}Second {2}0 messages {2}1 branch {2}just now\n {2}${first} {2}one {5}1 message {3}1 branch {2}just now\n`,
      ),
    );
    await does('/list --archived', 'Nothing is archived.');
  });
});

test('/help lists all commands on one screen, tells what all of them do in one column, and more about one', async () => {
  await withNotes(
    async ({ terminal, does }) => {
      const names = await does('/help', 'Esc, then Space ?');
      // What one has typed stands above it still.
      expect(terminal.screen().join('\n')).toContain('> /help');
      for (const { name } of REPL_COMMANDS) expect(names).toMatch(new RegExp(`/${name}\\b`));
      await does('/help all', 'The keys: /help keys');
      const shown = terminal.transcript().join('\n');
      for (const heading of ['Branches', 'The model', 'Plans', 'Texts', 'Conversations', 'Beside commands']) {
        expect(shown).toMatch(new RegExp(`^${heading}$`, 'm'));
      }
      expect(shown).toMatch(/^\/fork … {2,}say something else instead: your next message becomes a/m);
      expect(shown).toMatch(/^\/switch … {2,}go to a node, or to a branch of the last/m);
      const more = await does('/help tree', '--nested');
      expect(more).toMatch(
        /^\/tree \[--full\] \[--forks\] \[--files\] \[--nested\] \[--ids\] \[--all\]\n {2}draw the tree, and where you stand in it\n {2}--nested {2}every node one level deeper/,
      );
      await does('/help /FORK', '/fork [node]');
      await does('/tree --help', 'See: /help tree');
      await does('/?', 'Conversations');
    },
    { env: { COGNITION_PAGER: 'cat' } },
  );
});

test('/quit leaves, and the last line says how to come back', async () => {
  await withNotes(async ({ terminal, does, tree }) => {
    await does('one', 'notes');
    const id = tree().slice(0, 8);
    terminal.type('/quit', KEYS.enter);
    expect(await terminal.exited).toMatchObject({ code: 0 });
    expect(terminal.transcript().join('\n')).toContain(`Session saved. Resume with: cognition chat ${id}`);
  });
});
