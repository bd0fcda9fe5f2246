import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from '../../../../hub/client/client.js';
import { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { connectTo, withHome } from '../../../support/hub.js';
import { KEYS, type TestTerminal, withTerminal } from '../../../support/terminal.js';
import { answer, grow, user } from '../../../support/trees.js';

interface Place {
  client: Client;
  folder: string;
  elsewhere: string;
  /** A conversation of one question and its answer. */
  make(name: string | null, said: { question: string; answer: string; project?: string }): Promise<TreeId>;
  chat<T>(args: readonly string[], use: (terminal: TestTerminal) => Promise<T>, columns?: number): Promise<T>;
}

function withConversations<T>(use: (place: Place) => Promise<T>): Promise<T> {
  return withHome(async (home) => {
    const [folder, elsewhere] = [join(dirname(home), 'work'), join(dirname(home), 'other')];
    for (const one of [folder, elsewhere]) mkdirSync(one);
    const client = await connectTo(home);
    const start = (args: readonly string[], columns: number) => ({
      command: process.execPath,
      args: [PROGRAM, 'chat', ...args],
      cwd: folder,
      env: { COGNITION_HOME: home, HOME: userHomeBeside(folder), TERM_PROGRAM: 'vscode' },
      reflowsCursorLine: false,
      size: { columns, rows: 24 },
    });
    try {
      return await use({
        ...{ client, folder: realpathSync(folder), elsewhere: realpathSync(elsewhere) },
        async make(name, { question, answer: said, project }) {
          const made = await client.call('loom.tree_create', { name, project: project ?? realpathSync(folder) });
          const tree = TreeId.parse(made.id);
          await grow((method, params) => client.call(method, params as never), { tree, parent: NodeId.parse(tree) }, [
            user(question, answer(said)),
          ]);
          return tree;
        },
        chat: (args, work, columns = 80) => withTerminal(start(args, columns), work),
      });
    } finally {
      await client.close();
    }
  });
}

/** The rows of the list, without what stands behind the names. */
const listed = (screen: readonly string[]): string[] =>
  screen
    .slice(
      2,
      screen.findIndex((row) => /^-{10,}$/.test(row)),
    )
    .map((row) => row.replace(/(\S) {2,}.*$/, '$1').trimEnd())
    .filter((row) => row !== '');

const shows = (terminal: TestTerminal, rows: readonly string[]): Promise<string[]> =>
  terminal.waitFor((screen) => JSON.stringify(listed(screen)) === JSON.stringify(rows));

const open = async (terminal: TestTerminal): Promise<void> => {
  await terminal.waitFor(/^> /m);
  terminal.type('/list', KEYS.enter);
  await terminal.waitFor(/^Conversations: \d/m);
};

test('/list shows the conversations of this project first, with the end of the chosen one', async () => {
  await withConversations(async ({ make, chat, elsewhere }) => {
    await make('parser', { question: 'How is it parsed?', answer: 'By hand.' });
    await make('far', { question: 'Where is that?', answer: 'Elsewhere.', project: elsewhere });
    await make('lexer', { question: 'What are tokens?', answer: 'Words.' });
    await chat([], async (terminal) => {
      await open(terminal);
      await shows(terminal, ['> lexer', '  parser', `${elsewhere}:`, '  far']);
      await terminal.waitFor(/^> What are tokens\?\nWords\.$/m);
      terminal.type(KEYS.down);
      await terminal.waitFor(/^> How is it parsed\?\nBy hand\.$/m);
      terminal.type(KEYS.enter);
      await terminal.waitFor('Resuming');
      await terminal.waitFor('By hand.');
      await open(terminal);
      await terminal.waitFor(/^> \* parser|^ {2}\* parser/m);
      terminal.type(KEYS.escape);
      await terminal.waitFor((screen) => !screen.join('\n').includes('Search:'));
      expect(terminal.modes().alternate).toBe(false);
    });
  });
});

test('what is typed narrows the list, by names and by what was said, and Esc takes it back', async () => {
  await withConversations(async ({ make, chat }) => {
    await make('parser', { question: 'How is it parsed?', answer: 'By hand.' });
    await make('lexer', { question: 'What are tokens?', answer: 'A walrus said so.' });
    await make('Größe 数据', { question: 'hm', answer: 'so' });
    await chat(['--list'], async (terminal) => {
      await shows(terminal, ['> Größe 数据', '  lexer', '  parser']);
      terminal.type('pars');
      await shows(terminal, ['> parser']);
      await terminal.waitFor(/^Conversations: 1 of 3$/m);
      terminal.type(KEYS.escape);
      await shows(terminal, ['> Größe 数据', '  lexer', '  parser']);
      // Stands in an answer alone.
      terminal.type('walrus');
      await shows(terminal, ['> lexer']);
      await terminal.waitFor(/^… .*A walrus said so\. …$/m);
      terminal.type(KEYS.control('u'), 'GRÖSSE');
      await terminal.waitFor('None has "GRÖSSE" in it.');
      terminal.type(KEYS.enter);
      await terminal.waitFor('Nothing is chosen');
      terminal.type(KEYS.control('u'), 'größe');
      await shows(terminal, ['> Größe 数据']);
      terminal.type(KEYS.enter);
      await terminal.waitFor('Resuming');
    });
  });
});

test('Tab shows the archived ones, and one that is chosen there is taken out after a yes', async () => {
  await withConversations(async ({ make, chat, client }) => {
    await make('kept', { question: 'one', answer: 'two' });
    const gone = await make('gone', { question: 'three', answer: 'four' });
    await client.call('loom.tree_archive', { tree: gone });
    await chat(['--list'], async (terminal) => {
      await shows(terminal, ['> kept']);
      terminal.type(KEYS.tab);
      await shows(terminal, ['> gone']);
      await terminal.waitFor(/^Archived conversations: 1$/m);
      terminal.type(KEYS.enter);
      await terminal.waitFor('y/n  Take it out of the archive and go on?');
      terminal.type('n');
      await terminal.waitFor('Tab the others');
      terminal.type(KEYS.enter);
      await terminal.waitFor('y/n  Take it out');
      expect((await client.call('loom.tree_get', { tree: gone })).archived_at_ms).not.toBeNull();
      terminal.type('y');
      await terminal.waitFor('Resuming');
      await terminal.waitFor('four');
      expect((await client.call('loom.tree_get', { tree: gone })).archived_at_ms).toBeNull();
    });
  });
});

test('a conversation that works in another folder is gone on with after a yes', async () => {
  await withConversations(async ({ make, chat, elsewhere }) => {
    await make('far', { question: 'Where?', answer: 'There.', project: elsewhere });
    await chat(['--list'], async (terminal) => {
      await shows(terminal, [`${elsewhere}:`, '> far']);
      terminal.type(KEYS.enter);
      await terminal.waitFor('y/n  It works in ');
      terminal.type('y');
      await terminal.waitFor('Resuming');
      await terminal.waitFor('There.');
    });
  });
});

test('thousands of conversations with odd names are listed and searched in a narrow window', async () => {
  await withConversations(async ({ chat, client, folder, make }) => {
    await make(null, { question: '\u202eevil\u0007', answer: 'two' });
    for (const name of ['👩‍👩‍👧 family', 'x'.repeat(190)])
      await client.call('loom.tree_create', { name, project: folder });
    for (let made = 0; made < 2_000; made += 250) {
      const some = Array.from({ length: 250 }, (_, at) => `number n${made + at}.`);
      await Promise.all(some.map((name) => client.call('loom.tree_create', { name, project: folder })));
    }
    await make('newest', { question: 'one', answer: 'two' });
    await chat(
      ['--list'],
      async (terminal) => {
        await terminal.waitFor(/^Conversations: 2,004$/m);
        expect(listed(terminal.screen())[0]).toBe('> newest');
        terminal.type(KEYS.end);
        await terminal.waitFor(/^> .*evil/m);
        terminal.type('n1234.');
        await shows(terminal, ['> number n1234.']);
        terminal.type(KEYS.control('u'), 'family');
        await shows(terminal, ['> 👩‍👩‍👧 family']);
        terminal.resize(20, 6);
        const narrow = await terminal.waitFor(/^Conversations: 1 .*…$/m);
        expect(narrow).toHaveLength(6);
        expect(narrow.join('\n')).toContain('family');
        terminal.type(KEYS.control('c'));
        await terminal.waitFor((screen) => !screen.join('\n').includes('Search:'));
      },
      40,
    );
  });
});

test('without a screen one lists, and a script that would choose is refused', async () => {
  await withConversations(async ({ make, chat }) => {
    await make('parser', { question: 'How is it parsed?', answer: 'By hand.' });
    await chat(['--list', '--accessible'], async (terminal) => {
      await terminal.waitFor('parser');
      terminal.type('/use parser', KEYS.enter);
      await terminal.waitFor('Resuming');
    });
    await chat(['--list', '@'], async (terminal) => {
      expect(await terminal.exited).toMatchObject({ code: 2 });
      expect(terminal.transcript().join(' ')).toContain('--list chooses the conversation');
    });
  });
});
