import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { PROGRAM, userHomeBeside } from '../../../support/cli.js';
import { say } from '../../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../../support/model_server.js';
import { KEYS, type TestTerminal, withChat } from '../../../support/terminal.js';
import { idle, withTalkOnScreen } from './screen_talk.js';

interface Modes {
  terminal: TestTerminal;
  server: ModelServer;
  folder: string;
  ask(text: string, answer: string): Promise<void>;
  /** Presses the leader key and another one. */
  lead(letter: string): void;
  /** Says yes to what is asked after that. */
  confirm(question: string): Promise<void>;
}

/** A chat with a model, and an editor that writes a line into whatever it is given. */
function withModes(use: (modes: Modes) => Promise<void>, size = { columns: 80, rows: 24 }): Promise<void> {
  return withModelServer((server) => {
    const env = {
      ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin, COGNITION_MODEL: 'anthropic/claude-sonnet-4-5' },
      EDITOR: `sh -c 'echo "Write it down." >> "$1"' sh`,
    };
    return withChat({ env, size }, async (terminal, { folder }) => {
      await terminal.waitFor(/^> /m);
      await use({
        ...{ terminal, server, folder },
        lead: (letter) => terminal.type(' ', letter),
        async confirm(question) {
          await terminal.waitFor((rows) => rows.at(-2) === `y/n  ${question}`);
          terminal.type('y');
        },
        async ask(text, answer) {
          terminal.type(text, KEYS.enter);
          await terminal.waitFor(answer);
          await idle(terminal);
        },
      });
    });
  });
}

async function normal(terminal: TestTerminal): Promise<void> {
  terminal.type(KEYS.escape);
  await terminal.waitFor('NORMAL');
}

test('Space shows what may follow until a key comes, and one that means nothing is text', async () => {
  await withModes(async ({ terminal, lead }) => {
    await normal(terminal);
    terminal.type(' ');
    const shown = await terminal.waitFor('execute the plan');
    for (const words of [
      'n  network on, off',
      'c  clear',
      'p  plan mode',
      'e  edit the plan',
      'a  agents',
      't  tree',
    ]) {
      expect(shown.join('\n')).toContain(words);
    }
    terminal.type('z');
    await terminal.waitFor(/^> {2}z$/m);
    expect(terminal.modes().alternate).toBe(false);
    terminal.type(KEYS.control('c'));
    await terminal.waitFor('Cleared.');
    await normal(terminal);
    lead('?');
    await terminal.waitFor(/Space n {2}network on, off/);
    terminal.type('q');
    await terminal.waitFor((rows) => !rows.join('\n').includes('Space n'));
    expect(terminal.screen().at(-1)).toMatch(/^\[ NORMAL \]/);
    terminal.type('q');
    await terminal.waitFor('[ INSERT ]');
  });
});

test('Space n grants the network to the next turns, which the status shows', async () => {
  await withModes(async ({ terminal, lead, confirm }) => {
    await terminal.waitFor('[ NET: off ]');
    await normal(terminal);
    lead('n');
    await confirm('Switch the network on?');
    await terminal.waitFor('From the next turn on its commands may use the network.');
    expect(terminal.screen().at(-1)).toContain('[ NET: on ]');
    terminal.type('i');
    await terminal.waitFor(/\[ INSERT \].*\[ NET: on \]/);
    await normal(terminal);
    lead('n');
    await confirm('Switch the network off?');
    await terminal.waitFor('The next turns have no network.');
    expect(terminal.screen().at(-1)).toContain('[ NET: off ]');
  });
});

test('Space c goes to the root, and says how to come back', async () => {
  await withModes(async ({ terminal, server, ask, lead, confirm }) => {
    server.script(say(words('First.')), say(words('Anew.')));
    await ask('one', 'First.');
    await normal(terminal);
    lead('c');
    await confirm('Go to the root?');
    const screen = await terminal.waitFor(/The way back: \/switch [0-9a-f]{8}\)/);
    expect(terminal.modes().alternate).toBe(false);
    await ask('two', 'Anew.');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).not.toContain('First.');
    const back = /\/switch [0-9a-f]{8}/.exec(screen.join('\n'))?.[0] ?? '';
    terminal.type(back, KEYS.enter);
    await terminal.waitFor(/You are at [0-9a-f]{8} {2}Assistant: First\./);
    terminal.type('/clear', KEYS.enter);
    await terminal.waitFor(/Assistant: First\. .*You are at [0-9a-f]{8} {2}\(root\)/s);
    terminal.type('/clear', KEYS.enter);
    await terminal.waitFor('You are at the root: there is nothing to clear.');
  });
});

test('Shift-Tab, Space p and /plan switch plan mode, and a plan is carried out from the root', async () => {
  await withModes(async ({ terminal, server, folder, ask, lead, confirm }) => {
    server.script(say(words('Planned.')), say(words('Done as planned.')));
    await terminal.waitFor('[ Execute ]');
    terminal.type(KEYS.shiftTab);
    await terminal.waitFor('[ INSERT ] [ Plan ]');
    terminal.type(KEYS.shiftTab);
    await terminal.waitFor('[ INSERT ] [ Execute ]');
    await normal(terminal);
    lead('p');
    await confirm('Switch plan mode on?');
    await terminal.waitFor(/\[ NORMAL \] \[ Plan \]/);
    terminal.type('q');
    await terminal.waitFor('[ INSERT ] [ Plan ]');
    terminal.type('/plan off', KEYS.enter);
    await terminal.waitFor('[ INSERT ] [ Execute ]');
    terminal.type('/plan', KEYS.enter);
    await terminal.waitFor('[ INSERT ] [ Plan ]');
    await ask('plan a poem', 'Planned.');
    await terminal.waitFor('[ INSERT ] [ Plan ]');
    await normal(terminal);
    lead('x');
    await confirm('Execute the plan?');
    await terminal.waitFor('there is no plan');
    await normal(terminal);
    lead('e');
    await confirm('Open the plan in your editor?');
    await terminal.waitFor(/The plan is in .*|Carry it out with: \/execute/);
    expect(readFileSync(join(folder, '.cognition', 'plan.md'), 'utf8')).toBe('Write it down.\n');
    lead('x');
    await confirm('Execute the plan?');
    await terminal.waitFor('Done as planned.');
    await idle(terminal);
    await terminal.waitFor('[ INSERT ] [ Execute ]');
    const request = server.requests.at(-1)?.body;
    expect(JSON.stringify(request?.system)).toContain('## Plan\\n\\nWrite it down.');
    expect(JSON.stringify(request?.messages)).not.toContain('plan a poem');
  });
});

test(':exec without a plan says how to make one, and :edit-plan edits it', async () => {
  await withModes(async ({ terminal, server, folder }) => {
    server.script(say(words('It is done.')));
    await normal(terminal);
    terminal.type(':exec', KEYS.enter);
    await terminal.waitFor('make one with /plan, or write it with /edit-plan');
    mkdirSync(join(folder, '.cognition'), { recursive: true });
    writeFileSync(join(folder, '.cognition', 'plan.md'), '1. Sing.\n');
    await normal(terminal);
    terminal.type(':edit-plan', KEYS.enter);
    await terminal.waitFor('The plan is in');
    expect(readFileSync(join(folder, '.cognition', 'plan.md'), 'utf8')).toBe('1. Sing.\nWrite it down.\n');
    terminal.type(':clear', KEYS.enter);
    await terminal.waitFor('there is nothing to clear');
    terminal.type('/execute', KEYS.enter);
    await terminal.waitFor('The plan of 2 lines is carried out from the root.');
    await terminal.waitFor('It is done.');
  });
});

test('at the root of a conversation that began with a plan the status says that plans are made, as it is', async () => {
  await withChat({ args: ['--model', 'demo'], env: { HOME: tmpdir() } }, async (terminal) => {
    await terminal.waitFor('[ Execute ]');
    terminal.type(KEYS.shiftTab);
    await terminal.waitFor('[ Plan ]');
    terminal.type('make a plan', KEYS.enter);
    await terminal.waitFor('or its number');
    terminal.type('1', KEYS.enter);
    await terminal.waitFor('Carry it out');
    await idle(terminal);
    terminal.type('/clear', KEYS.enter);
    await terminal.waitFor('nothing was deleted');
    terminal.type('/level', KEYS.enter);
    await terminal.waitFor('Here the level is plan.');
    await terminal.waitFor('[ Plan ]');
    terminal.type(KEYS.shiftTab);
    await terminal.waitFor('[ Execute ]');
    terminal.type('write a program', KEYS.enter);
    await terminal.waitFor('hello-demo.sh is written');
    expect(terminal.screen().at(-1)).toContain('[ Execute ]');
  });
});

test('a question is a numbered choice, answered by a number or by words', async () => {
  await withModes(async ({ terminal, server, ask }) => {
    const asks = (id: string, question: string, options: string[]) => say(call(id, 'ask_user', { question, options }));
    server.script(asks('c1', 'Which way?', ['left', 'right']), asks('c2', 'How far?', []), say(words('Planned.')));
    terminal.type(KEYS.shiftTab);
    await terminal.waitFor('[ Plan ]');
    await ask('plan the walk', 'Answer with a number, or in your own words');
    expect(terminal.screen()).toEqual(expect.arrayContaining(['Which way?', '  1  left', '  2  right']));
    await ask('2', 'Answer in your own words');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('right');
    await ask('as far as the sea', 'Planned.');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('as far as the sea');
  });
});

test('the status counts tokens, and tells the share of the window where that is known', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home, folder, another }) => {
    server.script(say(words('First.')));
    await terminal.waitFor('Commands: /help');
    terminal.type('one', KEYS.enter);
    await terminal.waitFor('First.');
    terminal.resize(160, 24);
    await terminal.waitFor(/\[ INSERT \] \[ Execute \] \[ i:([1-9]\d*)\(c:0\) o:42 \| total i:\1 o:42 \]/);
    const env = { ...process.env, COGNITION_HOME: home, HOME: userHomeBeside(folder) };
    execFileSync(process.execPath, [PROGRAM, 'config', 'set', 'window', '10000'], { env });
    await another(['@'], async (second) => {
      await second.waitFor(/\[ INSERT \] \[ Execute \] .*\[ NET: off \].* [1-9]\d?% /);
      // The tokens of the whole conversation are told after a restart as well.
      second.resize(160, 24);
      await second.waitFor(/\[ i:0\(c:0\) o:0 \| total i:[1-9]\d* o:42 \]/);
    });
  });
});

test('in 80 columns the row has model, share and price, then where one is; a price that is not known is never none', async () => {
  await withTalkOnScreen([], async ({ terminal, server, home, another }) => {
    server.script(say(words('First.')), say(words('Second.')));
    await terminal.waitFor('Commands: /help');
    writeFileSync(
      join(home, 'config'),
      `server.work.base_url = ${server.origin}\nserver.work.kind = anthropic\nserver.work.key_env = ANTHROPIC_API_KEY\n` +
        'server.work.window = 10000\nserver.work.prices = some=1/2\nserver.work.models = some, other\n',
    );
    await another(['--model', 'work/some'], async (second) => {
      const endsIn = (row: RegExp) => second.waitFor((screen) => row.test(screen.at(-1) ?? ''));
      await second.waitFor('Commands: /help');
      second.type('one', KEYS.enter);
      await second.waitFor('First.');
      await endsIn(/^\[ INSERT \] \[ Execute \] \[ NET: off \] work\/some \d+% \$0\.\d+ (?:\S+ )?at [0-9a-f]{8}$/);
      second.type('/model work/other', KEYS.enter);
      await second.waitFor('answers.');
      second.type('two', KEYS.enter);
      await second.waitFor('Second.');
      await endsIn(/ \$0\.\d+\+\? /);
      expect(second.screen().at(-1)).toMatch(/ other \d+% /);
    });
  });
});

test('leader keys, help and commands fit into 20 columns and 6 rows', async () => {
  await withModes(
    async ({ terminal, lead }) => {
      await normal(terminal);
      terminal.type(' ');
      const screen = await terminal.waitFor('n network');
      expect(screen.join('\n')).toContain('x execute');
      terminal.type(KEYS.escape);
      await terminal.waitFor('NORMAL');
      lead('?');
      await terminal.waitFor('Enter');
      terminal.type('q', ':quit', KEYS.enter);
      expect(await terminal.exited).toMatchObject({ code: 0 });
    },
    { columns: 20, rows: 6 },
  );
});
