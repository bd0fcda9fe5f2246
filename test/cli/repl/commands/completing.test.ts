import { expect, test } from 'vitest';
import { KEYS } from '../../../support/terminal.js';
import { standsAt, withModel, withNotes } from './command_talk.js';

/** The row in which one writes. */
const written = (screen: string[]): string => screen.findLast((row) => row.startsWith('> ')) ?? '';

test('Tab completes a command, and a few letters of it are enough', async () => {
  await withNotes(async ({ terminal }) => {
    terminal.type('/bra');
    await terminal.waitFor(/\/?branches +list the branches here/);
    terminal.type(KEYS.tab);
    await terminal.waitFor((screen) => screen.includes('> /branches'));
    terminal.type(KEYS.control('u'), '/Quit', KEYS.enter);
    expect(await terminal.exited).toMatchObject({ code: 0 });
  });
});

test('after /goto marks and the ends of branches are offered, with age, size and first words', async () => {
  await withNotes(async ({ terminal, does, tree }) => {
    await does('one', 'notes');
    await does('/mark beginning', 'Marked');
    await does('two', ' at ');
    await terminal.waitFor(() => standsAt(terminal) !== tree().slice(0, 8));
    terminal.type('/goto ');
    await terminal.waitFor(/beginning +mark of [0-9a-f]{8}/);
    await terminal.waitFor(/[0-9a-f]{8} +just now {2}2 nodes {2}one/);
    terminal.type('beg', KEYS.tab);
    await terminal.waitFor((screen) => written(screen).startsWith('> /goto beginning'));
    terminal.type(KEYS.enter);
    await terminal.waitFor(/You are at [0-9a-f]{8} {2}User: one/);
  });
});

test('options are offered where one begins with a dash, each once and with what it does', async () => {
  await withNotes(async ({ terminal }) => {
    terminal.type('/tree --');
    await terminal.waitFor(/--nested +\S+/);
    await terminal.waitFor(/--forks +\S+/);
    terminal.type('fo', KEYS.tab);
    await terminal.waitFor((screen) => written(screen).trim() === '> /tree --forks');
    terminal.type('--fo');
    await terminal.waitFor(
      (screen) => written(screen) === '> /tree --forks --fo' && !/^ *(?:> )?--forks /m.test(screen.join('\n')),
    );
    terminal.type(KEYS.control('u'), '/search --reg', KEYS.tab, 'a+b', KEYS.enter);
    await terminal.waitFor((screen) => screen.includes('> /search --regex a+b'));
    // One that has none offers nothing.
    terminal.type('/undo --');
    await terminal.waitFor((screen) => written(screen) === '> /undo --');
  });
});

test('both nodes of /compare are completed', async () => {
  await withNotes(async ({ terminal, does }) => {
    await does('one', 'notes');
    await does('/mark here', 'Marked');
    terminal.type('/compare her');
    await terminal.waitFor(/here +mark of/);
    terminal.type(KEYS.tab);
    await terminal.waitFor((screen) => written(screen).startsWith('> /compare here'));
    terminal.type('her', KEYS.tab);
    await terminal.waitFor((screen) => written(screen).startsWith('> /compare here here'));
    terminal.type(KEYS.enter);
    await terminal.waitFor(/Only in [0-9a-f]{8}: 0 nodes/);
  });
});

test('models, levels and conversations are offered where they belong', async () => {
  await withModel(async ({ terminal, does, tree }) => {
    terminal.type('/model so');
    await terminal.waitFor(/sonnet +anthropic\/claude-sonnet-5/);
    terminal.type(KEYS.tab);
    await terminal.waitFor((screen) => written(screen).startsWith('> /model sonnet'));
    terminal.type(KEYS.enter);
    await terminal.waitFor('From your next message on anthropic/claude-sonnet-5 answers.');
    terminal.type('/level re', KEYS.tab);
    await terminal.waitFor((screen) => written(screen).startsWith('> /level readonly'));
    terminal.type(KEYS.control('u'), '/thinking hi', KEYS.tab);
    await terminal.waitFor((screen) => written(screen).startsWith('> /thinking high'));
    terminal.type(KEYS.control('u'), '!!true', KEYS.enter);
    await terminal.waitFor('(not kept');
    const id = tree().slice(0, 8);
    await does('/rename The garden', 'is called');
    terminal.type('/use ');
    await terminal.waitFor(new RegExp(`${id} +The garden`));
    terminal.type(id.slice(0, 4), KEYS.tab);
    await terminal.waitFor((screen) => written(screen).startsWith(`> /use ${id}`));
  });
});
