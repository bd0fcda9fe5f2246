import { expect, test } from 'vitest';
import { REPL_COMMANDS } from '../../../../cli/repl/commands/chat_command_table.js';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS, type TestTerminal } from '../../../support/terminal.js';
import { withModel } from './command_talk.js';

/** What is typed, and what of its answer is seen however small the window is. */
const WALK: readonly (readonly [string, string])[] = [
  ['/fork', 'Created branch'],
  ['other', 'Second.'],
  ['/branches', '[current]'],
  ['/leaves', '2.'],
  ['/switch 2', 'You are at'],
  ['/back', 'You are at'],
  ['/goto root', '(root)'],
  ['/follow', 'nobody'],
  ['/tree', '●'],
  ['/tree --nested', '●'],
  ['/tree --ids', '(root)'],
  ['/context', 'Nothing has been'],
  ['/switch 1', 'You are at'],
  ['/undo', 'You are at'],
  ['/undo', 'You are at'],
  ['/context --full', 'Second.'],
  ['/mark here', 'Marked'],
  ['/mark', 'here'],
  ['/compare here root', 'Only in'],
  ['/search other', 'other'],
  ['/rename Walk', 'is called'],
  ['/list --here', 'Walk'],
  ['/cost', 'requests'],
  ['/log', 'o:42'],
  ['/export', 'Second.'],
  ['/files', 'Recorded at'],
  ['/diff', 'No file differs'],
  ['/git', 'committed nothing'],
  ['/race', 'no race'],
  ['/take 1', 'no race'],
  ['/merge here', 'on the path'],
  ['!echo printed', 'printed'],
  ['/output', 'printed'],
  ['/copy', 'copied'],
  ['/reset', 'new shell'],
  ['/model', 'answers.'],
  ['/model haiku', 'From your next'],
  ['/level', 'readonly'],
  ['/level minimal', 'From your next'],
  ['/web', 'No pages'],
  ['/web on', 'From your next'],
  ['/thinking', 'recommend'],
  ['/thinking low', 'From your next'],
  ['/reload', 'read anew'],
  ['/work', 'takes an agent'],
  ['/consult', 'takes a model'],
  ['/group', 'takes models'],
  ['/agents', 'Nothing is running'],
  ['/jobs', 'Nothing runs in the background'],
  ['/permissions', 'Nothing is permitted here'],
  ['/stop', 'Nothing is running'],
  ['/answer 1', 'nothing is asked'],
  ['/plan', 'Plan mode'],
  ['/plan off', 'Plan mode is off'],
  ['/edit-plan', '.cognition/plan.md'],
  ['/execute', 'there is no plan'],
  ['/clear', 'nothing was deleted'],
  ['/compact', 'nothing'],
  ['/retry', 'nothing'],
  ['/queue', 'takes a message'],
  ['/help', '/fork'],
  ['/help fork', '/fork [node]'],
  ['/new Other', 'Starting new'],
  ['/use Walk', 'Resuming'],
  ['/wrong', 'there is no command'],
];

interface Walked {
  name: string;
  size: { columns: number; rows: number };
  args?: readonly string[];
  env?: Record<string, string>;
}

const WALKED: readonly Walked[] = [
  { name: '20 columns and 6 rows', size: { columns: 20, rows: 6 } },
  { name: '200 columns and 60 rows', size: { columns: 200, rows: 60 } },
  { name: '80 columns without colours', size: { columns: 80, rows: 24 }, env: { NO_COLOR: '1' } },
  { name: 'a screen reader', size: { columns: 80, rows: 24 }, args: ['--accessible'] },
];

/** Types a line and resolves when its answer has been shown; rows may end anywhere. */
async function walks(terminal: TestTerminal, line: string, wanted: string): Promise<void> {
  const flat = (): string => terminal.transcript().join('').replaceAll(' ', '');
  const bare = wanted.replaceAll(' ', '');
  const before = flat().split(bare).length;
  const echo = terminal.raw().length;
  terminal.type(line, KEYS.enter);
  await terminal.waitFor(() => flat().split(bare).length > before && terminal.raw().length > echo);
}

/** The sequences that choose a colour of a text or of what is behind it. */
function coloursIn(raw: string): string[] {
  const chosen = raw.split('\u001b[').flatMap((piece) => /^[\d;]*m/.exec(piece)?.[0] ?? []);
  return chosen.filter((sequence) => /(?:^|;)(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]/.test(sequence));
}

test('the walk covers every command', () => {
  const typed = new Set(WALK.map(([line]) => line.split(' ')[0]));
  expect(REPL_COMMANDS.map(({ name }) => `/${name}`).filter((name) => !typed.has(name))).toEqual(['/quit']);
});

for (const { name, ...where } of WALKED) {
  test(`every command answers with ${name}`, async () => {
    await withModel(
      async ({ terminal, server }) => {
        server.script(say(words('First.')), say(words('Second.')));
        await walks(terminal, 'begin', 'First.');
        for (const [line, wanted] of WALK) await walks(terminal, line, wanted);
        terminal.type('/quit', KEYS.enter);
        expect(await terminal.exited).toMatchObject({ code: 0, signal: 0 });
        if (where.env?.NO_COLOR !== undefined) expect(coloursIn(terminal.raw())).toEqual([]);
      },
      { ...where, env: { EDITOR: 'true', ...where.env } },
    );
  });
}
