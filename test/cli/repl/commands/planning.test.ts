import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { type CommandTalk, standsAt, withModel } from './command_talk.js';

const EDITOR = `sh -c 'echo "3. Rest." >> "$1"' sh`;
const PLAN = '1. Look.\n2. Walk.\n';

/** Resolves when no turn runs. */
async function ended({ terminal }: Pick<CommandTalk, 'terminal'>): Promise<void> {
  await terminal.waitFor((screen) => !/Esc stops|^stopping/m.test(screen.join('\n')));
}

const asks = (id: string, question: string, options: string[]) => say(call(id, 'ask_user', { question, options }));
const sent = ({ server }: Pick<CommandTalk, 'server'>): string => JSON.stringify(server.requests.at(-1)?.body);

test('in plan mode the model writes the plan and nothing else, the person edits it, rejects it and has it carried out', async () => {
  await withModel(
    async (talk) => {
      const { terminal, does, server, folder, tree } = talk;
      const file = join(folder, '.cognition', 'plan.md');
      await does(
        '/plan',
        'Plan mode: from your next message on the model only looks, writes the plan, and may ask you.',
      );
      await terminal.waitFor('[ Plan ]');
      server.script(
        say(
          call('c1', 'write', { path: '.cognition/plan.md', content: PLAN }),
          call('c2', 'write', { path: join(folder, 'other'), content: 'x' }),
        ),
        say(words('The plan is written.')),
      );
      await does('plan a walk', 'The plan is written.');
      await ended(talk);
      expect(readFileSync(file, 'utf8')).toBe(PLAN);
      expect(existsSync(join(folder, 'other'))).toBe(false);
      const planned = standsAt(terminal);
      await does('/edit-plan', 'The plan is in .cognition/plan.md. Carry it out with: /execute');
      expect(readFileSync(file, 'utf8')).toBe(`${PLAN}3. Rest.\n`);
      // Who does not like it says so: plan mode goes on.
      server.script(say(words('I shall plan it shorter.')));
      await does('that is too long', 'I shall plan it shorter.');
      await ended(talk);
      await terminal.waitFor('[ Plan ]');
      expect(sent(talk)).toContain('that is too long');
      server.script(say(words('I have walked.')));
      const executed = await does('/execute', 'I have walked.');
      expect(executed).toContain('The plan of 3 lines is carried out from the root. The way back: /switch ');
      await ended(talk);
      await terminal.waitFor('[ Execute ]');
      expect(sent(talk)).toContain('## Plan\\n\\n1. Look.\\n2. Walk.\\n3. Rest.');
      expect(sent(talk)).not.toContain('plan a walk');
      expect(await does('/tree', 'you are here')).toMatch(/├── User: plan a walk\n.*\n User: Carry out the plan\./s);
      // There it is still plan mode.
      await does(`/switch ${planned}`, `You are at ${planned}`);
      await terminal.waitFor('[ Plan ]');
      await does('/goto root', `You are at ${tree().slice(0, 8)}`);
    },
    // In the home folder itself the plan would stand among what is hidden from models.
    { env: { EDITOR, HOME: tmpdir() } },
  );
});

test('plan mode is left with /plan off, and the next turn may write again', async () => {
  await withModel(async (talk) => {
    const { terminal, does, server } = talk;
    server.script(say(words('Planned.')), say(words('Done.')));
    await does('/plan on', 'Plan mode: ');
    await does('plan it', 'Planned.');
    await ended(talk);
    expect(sent(talk)).toContain('"ask_user"');
    await does('/plan off', 'Plan mode is off: your next message is worked on as before.');
    await terminal.waitFor('[ Execute ]');
    await does('do it', 'Done.');
    await ended(talk);
    expect(sent(talk)).not.toContain('"ask_user"');
    await does('/execute', 'there is no plan: .cognition/plan.md does not exist, or is empty');
  });
});

test('a question is answered by a number, by its own words, or with /answer; a number that is none is not taken', async () => {
  await withModel(async (talk) => {
    const { terminal, does, server } = talk;
    server.script(
      asks('c1', 'Which way?', ['left', 'right']),
      asks('c2', 'How far?', []),
      asks('c3', 'When?', ['now', 'later']),
    );
    server.script(say(words('Planned.')));
    await does('/plan', 'Plan mode: ');
    await does('plan a walk', 'Answer with a number, or in your own words');
    await does('/answer', 'it asks: Which way?');
    await does('/answer 7', 'there is no answer 7: they are numbered from 1 to 2');
    await does('/answer 2', 'How far?');
    expect(sent(talk)).toContain('right');
    await does('to the sea', 'When?');
    expect(sent(talk)).toContain('to the sea');
    terminal.type('1', KEYS.enter);
    await terminal.waitFor('Planned.');
    expect(sent(talk)).toContain('now');
  });
});

test('a question waits: another terminal shows and answers it', async () => {
  await withModel(async (talk) => {
    const { terminal, does, server, another } = talk;
    server.script(asks('c1', 'Which way?', ['left', 'right']), say(words('Planned.')));
    await does('/plan', 'Plan mode: ');
    await does('plan a walk', 'Answer with a number, or in your own words');
    await another(async (second) => {
      await second.does('/answer 1', 'Planned.');
      expect(sent(talk)).toContain('left');
    });
    await terminal.waitFor('Planned.');
  });
});

test('a question is still asked when the chat was left and opened again', async () => {
  await withModel(async (talk) => {
    const { terminal, does, server, another } = talk;
    server.script(asks('c1', 'Which way?', ['left', 'right']), say(words('Planned.')));
    await does('/plan', 'Plan mode: ');
    await does('plan a walk', 'Answer with a number, or in your own words');
    terminal.type('/quit', KEYS.enter);
    await terminal.exited;
    await another(async (second) => {
      await second.terminal.waitFor('Which way?');
      await second.does('straight on', 'Planned.');
      expect(sent(talk)).toContain('straight on');
    });
  });
});

test('/edit-plan says that nothing was written, and that an editor could not be run', async () => {
  await withModel(
    async ({ does }) => {
      await does('/edit-plan', 'Nothing stands in .cognition/plan.md: there is no plan yet.');
    },
    { env: { EDITOR: 'true' } },
  );
  await withModel(
    async ({ does, folder }) => {
      await does('/edit-plan', /plan was not edited|could not|ended with/);
      writeFileSync(join(folder, 'untouched'), '');
    },
    { env: { EDITOR: 'false' } },
  );
});
