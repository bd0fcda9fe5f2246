import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AgentRow, drawAgents } from '../../../../cli/render/screens/agents_page.js';
import { createScrollback } from '../../../../cli/repl/agents/scrollback.js';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { lookAt } from '../../../support/look.js';
import { say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { idle, withTalkOnScreen } from '../screen/screen_talk.js';

const WAITS = (name: string): string =>
  `demo: run echo ${name} begun; until [ -e ${name} ]; do sleep 0.02; done; echo over`;

test('sub-sessions that run, have ended, failed and were stopped are listed, read and stopped', async () => {
  await withTalkOnScreen([], async ({ terminal, server, folder }) => {
    server.script(
      say(
        call('c1', 'spawn_session', { task: WAITS('alpha'), provider: 'demo' }),
        call('c2', 'spawn_session', { task: WAITS('beta'), provider: 'demo' }),
        call('c3', 'spawn_session', { task: 'demo: fail rejected', provider: 'demo' }),
      ),
      say(words('All is done.')),
    );
    await terminal.waitFor('Commands: /help');
    terminal.type('three of them', KEYS.enter);
    await terminal.waitFor('beta begun');
    terminal.type(KEYS.control('o'));
    await terminal.waitFor('NORMAL');
    terminal.type(' a');
    await terminal.waitFor(/^At work: 3\. Ended: 1\.$/m);
    await terminal.waitFor(/^ {2}demo: fail rejected {2}failed /m);
    // The order in which the two began is not told.
    const rows = await terminal.waitFor(/run echo beta/);
    const beta = rows.findIndex((row) => row.includes('beta'));
    terminal.type('j'.repeat(beta - 1));
    await terminal.waitFor(/^> demo: run echo beta/m);
    terminal.type('x');
    await terminal.waitFor(/^y\/n {2}Stop it\?$/m);
    terminal.type('n');
    await terminal.waitFor(/^j k choose/m);
    terminal.type('x');
    await terminal.waitFor(/^y\/n {2}Stop it\?$/m);
    terminal.type('y');
    await terminal.waitFor(/^At work: 2\. Ended: 2\.$/m);
    await terminal.waitFor(/demo: run echo beta.* {2}stopped /m);
    writeFileSync(join(folder, 'alpha'), '');
    await terminal.waitFor(/demo: run echo alpha.* {2}done /m);
    await terminal.waitFor(/^Nothing is running\. Ended: 4\.$/m);
    terminal.type('g');
    const ended = await terminal.waitFor((screen) => screen[1]?.startsWith('> ') === true);
    terminal.type('j'.repeat(ended.findIndex((row) => row.includes('fail rejected')) - 1), KEYS.enter);
    await terminal.waitFor(/^\(it has failed\)$/m);
    terminal.type('x');
    await terminal.waitFor('It runs no more.');
    terminal.type('q', 'q');
    await terminal.waitFor('All is done.');
    await idle(terminal);
    terminal.type(KEYS.escape);
    await terminal.waitFor('NORMAL');
    terminal.type(' a');
    await terminal.waitFor(/^Nothing is running\. Ended: 3\.$/m);
  });
});

const agent = (number: number): AgentRow => ({
  ...{ activity: 'answering', isRunning: number % 2 === 0, model: 'demo/demo', task: `task ${number} of many` },
  ...{ elapsedMs: 61_000, tokens: { in: 1_234, out: 5 }, priceMicrodollars: 1_000_000 },
});

test('the chosen row of many is visible', () => {
  const page = {
    title: 'At work: 64',
    rows: Array.from({ length: 64 }, (_, at) => agent(at)),
    chosen: 40,
    word: 'q leave',
  };
  const { lines } = drawAgents(page, 8, lookAt(80));
  expect(lines).toEqual([
    'At work: 64',
    '  task 37 of many  answering  1 min 1 s  i:1234 o:5  $1.00  demo/demo',
    '  task 38 of many  answering  1 min 1 s  i:1234 o:5  $1.00  demo/demo',
    '  task 39 of many  answering  1 min 1 s  i:1234 o:5  $1.00  demo/demo',
    '> task 40 of many  answering  1 min 1 s  i:1234 o:5  $1.00  demo/demo',
    '  task 41 of many  answering  1 min 1 s  i:1234 o:5  $1.00  demo/demo',
    '  task 42 of many  answering  1 min 1 s  i:1234 o:5  $1.00  demo/demo',
    'q leave',
  ]);
});

test('in a narrow window what each does and is to do is left', () => {
  const page = { title: 'At work: 1', rows: [agent(2)], chosen: 0, word: 'q leave' };
  expect(drawAgents(page, 6, lookAt(20)).lines[1]).toBe('> answering  task…');
  expect(drawAgents(page, 6, lookAt(30)).lines[1]).toBe('> answering  task 2 of many');
});

test('what is read along is cut into rows as it comes, and loses its beginning when it is long', () => {
  const text = createScrollback();
  const look = lookAt(12);
  text.add('some words that');
  expect(text.rows(look)).toEqual({ rows: ['some words', 'that'], gone: 0 });
  text.line('[bash] ls');
  text.add('abcdefghijklmn\n', true);
  expect(text.rows(look).rows).toEqual(['some words', 'that', '[bash] ls', 'abcdefghijk', 'lmn']);
  for (let line = 0; line < 12_000; line += 1) text.add(`${line}\n`, true);
  const { rows, gone } = text.rows(look);
  expect(rows.length).toBeLessThanOrEqual(10_000);
  expect(rows.at(-1)).toBe('11999');
  expect(rows.length + gone).toBe(12_005);
});
