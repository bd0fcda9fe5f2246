import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM, userHomeBeside, withCli } from '../../../support/cli.js';
import { KEYS, withChat, withTerminal } from '../../../support/terminal.js';

test('a line that is typed before the header stands is answered below it', async () => {
  await withChat({ args: ['--model', 'demo'] }, async (terminal) => {
    await terminal.waitFor('[ INSERT ]');
    terminal.type('help', KEYS.enter);
    await terminal.waitFor('Whatever I have said');
    const shown = terminal.transcript().join('\n');
    expect(shown.indexOf('Commands: /help')).toBeGreaterThan(0);
    expect(shown.indexOf('Commands: /help')).toBeLessThan(shown.indexOf('list the files'));
  });
});

/** Rows end behind any word. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

test('where a chosen model does not answer the first lines say why', async () => {
  const cases = [
    [
      ['--model', 'sonnet'],
      'Model: none, so messages are notes: there is no key for anthropic.\n  Set ANTHROPIC_API_KEY,',
    ],
    [['--model', 'sonet'], 'Model: none, so messages are notes: no model is called sonet.\n  Did you mean sonnet?'],
    [
      [],
      'Model: none, so messages are notes.\n  Set ANTHROPIC_API_KEY or OPENAI_API_KEY or GEMINI_API_KEY, name a model of your own server, such as ollama/qwen3:8b, or try: /model demo\n',
    ],
  ] as const;
  for (const [args, told] of cases) {
    await withChat({ args }, async (terminal) => {
      await terminal.waitFor('Commands: /help');
      expect(flat(terminal.transcript().join('\n'))).toContain(flat(told).trim());
    });
  }
});

test('who chooses a model for a note that nobody answered is told how to have it answered', async () => {
  await withCli(async ({ run }) => {
    const lines = ['a note', '/model demo', '/retry', '/model demo', '/quit', ''].join('\n');
    const { stderr } = await run(['chat'], { input: lines });
    expect(stderr.match(/\/retry has it answered/g)).toHaveLength(1);
  });
});

test('in the folder with the conversations no plan is begun, and one is told where to go', async () => {
  await withCli(async ({ folder: place, run }) => {
    const home = join(place, '.cognition');
    const env = { COGNITION_HOME: home };
    for (const line of ['/plan', '/edit-plan']) {
      const { stderr, code } = await run(['chat', '--model', 'demo'], { env, input: `${line}\n` });
      expect(stderr).toContain('plans need a project: .cognition here is where your conversations are');
      expect(code).not.toBe(0);
    }
    expect(existsSync(join(home, 'plan.md'))).toBe(false);
    await run(['hub', 'stop'], { env });
  });
});

test('with --accessible the words at the end stand on a line of their own', async () => {
  await withChat({ args: ['--accessible', '--model', 'demo'] }, async (terminal) => {
    await terminal.waitFor(/^>$/m);
    terminal.type('\u0004');
    await terminal.exited;
    expect(terminal.transcript().map((row) => row.trimEnd())).toContain('Nothing was said, so nothing is kept.');
  });
});

test('with --accessible keys leave nothing in a line, and help tells those that there are', async () => {
  await withChat({ args: ['--accessible', '--model', 'demo'] }, async (terminal) => {
    await terminal.waitFor(/^>$/m);
    terminal.type(KEYS.shiftTab, KEYS.up, '/level', KEYS.enter);
    await terminal.waitFor('Here the level is orchestrator.');
    terminal.type('/help keys', KEYS.enter);
    const told = (await terminal.waitFor('Ctrl-Z')).join('\n');
    expect(told).toContain('Ctrl-D          leave, with nothing written');
    expect(told).not.toContain('Shift-Tab');
    terminal.type(KEYS.control('c'));
    await terminal.waitFor(/^Nothing is running\. To leave: \/quit$/m);
    terminal.type(KEYS.escape, '/quit', KEYS.enter);
    await terminal.exited;
    expect(terminal.transcript().join('\n')).toContain('Nothing was said, so nothing is kept.');
  });
});

test('where no draft can be kept that is told in plain words', async () => {
  await withChat({}, async (terminal, { home }) => {
    await terminal.waitFor('Commands: /help');
    writeFileSync(join(home, 'drafts'), '');
    terminal.type('a draft');
    await terminal.waitFor('what you write cannot be kept: something else is in the way in ');
  });
});

/** Rows end behind any word. */
const whole = (terminal: { transcript(): string[] }): string => flat(terminal.transcript().join(' '));

test('who has no key is offered the demo, a key or notes, and one key answers', async () => {
  await withChat({}, async (terminal) => {
    await terminal.waitFor('1 demo · 2 a key · 3 notes only');
    terminal.type('2');
    await terminal.waitFor('come back with: cognition');
    expect(whole(terminal)).toContain('export ANTHROPIC_API_KEY=');
    expect(terminal.screen().join('\n')).not.toContain('1 demo ·');
    terminal.type('/new', KEYS.enter);
    terminal.type('/model demo', KEYS.enter);
    await terminal.waitFor('it is no AI, only a few rules: say help');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor(/demo/);
  });
  await withChat({}, async (terminal) => {
    await terminal.waitFor('1 demo · 2 a key · 3 notes only');
    terminal.type('1');
    await terminal.waitFor('From your next message on demo/demo answers.');
    await terminal.waitFor((screen) => screen.at(-1)?.includes('demo/demo') === true);
    terminal.type('help', KEYS.enter);
    await terminal.waitFor('Whatever I have said');
  });
  await withChat({}, async (terminal) => {
    await terminal.waitFor('1 demo · 2 a key · 3 notes only');
    // A message that begins with no answer is a note, and the offer goes.
    terminal.type('a note', KEYS.enter);
    await terminal.waitFor((screen) => screen.includes('> a note') && !screen.join('\n').includes('1 demo ·'));
  });
});

test('a key that is pressed before the choice is shown answers it, and a text that begins so does not', async () => {
  await withChat({}, async (terminal) => {
    await terminal.waitFor('[ INSERT ]');
    terminal.type('1');
    await terminal.waitFor('From your next message on demo/demo answers.');
    expect(terminal.screen().join('\n')).not.toContain('> 1');
  });
  await withChat({}, async (terminal) => {
    await terminal.waitFor('[ INSERT ]');
    terminal.type('1. write');
    await terminal.waitFor('Commands: /help');
    terminal.type(' a test', KEYS.enter);
    await terminal.waitFor((screen) => screen.includes('> 1. write a test'));
    expect(whole(terminal)).not.toContain('demo/demo answers');
  });
});

test('why no model answers is told once: in the first lines, or with the first message of a conversation without them', async () => {
  await withChat({}, async (terminal) => {
    await terminal.waitFor('1 demo · 2 a key · 3 notes only');
    terminal.type('a note', KEYS.enter);
    await terminal.waitFor('(messages are kept as notes)');
    expect(whole(terminal).match(/set ANTHROPIC_API_KEY|no model is chosen/gi)).toHaveLength(1);
  });
});

test('the demo is offered neither in a pipe nor to who has chosen a model, and in words where no key answers', async () => {
  await withCli(async ({ run }) => {
    const { stdout, stderr } = await run(['chat'], { input: 'a note\n' });
    expect(stdout + stderr).not.toContain('notes only');
  });
  await withChat({ args: ['--accessible'] }, async (terminal) => {
    await terminal.waitFor('Choose: /model demo');
    expect(whole(terminal)).toContain('/model --key (where one goes)');
  });
  await withChat({ args: ['--model', 'sonnet'] }, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    terminal.type('1');
    await terminal.waitFor('> 1');
    expect(terminal.screen().join('\n')).not.toContain('1 demo ·');
  });
});

test('who opens a conversation in which they have not been stands at its newest end, and is told of the others', async () => {
  await withCli(async ({ home, folder, print }) => {
    await print('new', 'notes');
    await print('add', '@', 'the first words');
    await print('add', '@', 'the newest words', '--at', 'root');
    writeFileSync(join(home, 'session.json'), '{"version":1,"current":null,"trees":{}}');
    const start = {
      ...{ command: process.execPath, args: [PROGRAM, 'chat', 'notes'], cwd: folder },
      env: { COGNITION_HOME: home, HOME: userHomeBeside(folder) },
    };
    await withTerminal(start, async (terminal) => {
      await terminal.waitFor('Commands: /help');
      const shown = flat(terminal.transcript().join(' '));
      expect(shown).toContain('> the newest words');
      expect(shown).toContain('this is the newest of several ends. The others: /leaves');
      expect(shown).not.toContain('the first words');
      terminal.type('/leaves', KEYS.enter);
      await terminal.waitFor('2.');
      terminal.type('/switch 2', KEYS.enter);
      await terminal.waitFor('You are at');
      expect(flat(terminal.transcript().join(' '))).toContain('the first words');
    });
  });
});

test('who insists on a whole home folder is told what may be changed there, and that no files follow', async () => {
  await withCli(async ({ home, folder }) => {
    const start = {
      ...{ command: process.execPath, args: [PROGRAM, 'chat', '--model', 'demo', '--here'], cwd: folder },
      env: { COGNITION_HOME: home, HOME: folder },
    };
    await withTerminal(start, async (terminal) => {
      await terminal.waitFor('Commands: /help');
      const shown = flat(terminal.transcript().join(' '));
      expect(shown).toContain('may change ~ but for secrets and hidden files, and no files follow the branch, network');
    });
  });
});

test('the row at the bottom names the model of the branch that one goes to', async () => {
  await withChat({}, async (terminal) => {
    await terminal.waitFor('Commands: /help');
    await terminal.waitFor('no model');
    terminal.type('/race hello --with demo', KEYS.enter);
    await terminal.waitFor('Take one');
    terminal.type('/race', KEYS.enter);
    await terminal.waitFor(/> \/race\s+1\. demo/);
    terminal.type('/switch 1', KEYS.enter);
    await terminal.waitFor(/NET: off \] demo/);
  });
});
