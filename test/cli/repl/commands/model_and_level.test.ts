import { expect, test } from 'vitest';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS } from '../../../support/terminal.js';
import { type CommandTalk, standsAt, withModel } from './command_talk.js';

/** Resolves when no turn runs. */
async function ended({ terminal }: Pick<CommandTalk, 'terminal'>): Promise<void> {
  await terminal.waitFor((screen) => !/Esc stops|^stopping/m.test(screen.join('\n')));
}

test('/model tells which model answers and the short names, and chooses another one', async () => {
  await withModel(async ({ does, server, terminal }) => {
    const told = await does('/model', 'demo/demo');
    expect(told).toMatch(
      /^Here anthropic\/claude-sonnet-5 answers\.\nAnother one: \/model provider\/model, or a short name:\n/,
    );
    await does('/model haiku', 'From your next message on anthropic/claude-haiku-4-5 answers.');
    server.script(say(words('Small.')));
    await does('hello', 'Small.');
    await ended({ terminal });
    expect(server.requests.at(-1)?.body.model).toBe('claude-haiku-4-5');
    await does('/model', 'Here anthropic/claude-haiku-4-5 answers.');
  });
});

test('/level tells the level and what each means, and sets it for what follows', async () => {
  await withModel(async ({ does, server, terminal }) => {
    const told = await does('/level', /^plan {10}only looks/m);
    expect(told).toMatch(
      /^Here the level is orchestrator\. Another one: \/level <name>\nminimal {7}reads, writes, edits, runs commands\n/,
    );
    await does('/level READONLY', 'From your next message on the level is readonly: only looks');
    server.script(say(words('I only look.')));
    await does('hello', 'I only look.');
    await ended({ terminal });
    expect(JSON.stringify(server.requests.at(-1)?.body.tools)).not.toContain('"write"');
    await does('/level', 'Here the level is readonly.');
  });
});

test('/thinking tells how much is thought and sets it for what follows; /effort is the same', async () => {
  await withModel(async ({ does, server, terminal }) => {
    const told = await does('/thinking', /^max {5}as much as it can/m);
    expect(told).toMatch(
      /^Here thinking is auto\. Another amount: \/thinking <word>\nauto {4}what its makers recommend/,
    );
    await does('/effort MAX', 'From your next message on thinking is max: as much as it can');
    server.script(say({ kind: 'thinking', text: 'One thought.' }, words('Deep.')));
    await does('hello', 'Deep.');
    await ended({ terminal });
    expect(server.requests.at(-1)?.body).toMatchObject({
      ...{ thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'max' } },
    });
    // What it thought is folded, and the row at the bottom says how much it thinks.
    expect(terminal.screen().join('\n')).toMatch(/> thinking, \d/);
    expect(terminal.screen().join('\n')).not.toContain('One thought.');
    await terminal.waitFor(/\[ NET: off \] claude-sonnet-5 thinking:max/);
    await does('/thinking', 'Here thinking is max.');
    await does('/thinking much', 'not "much"');
  });
});

test('/retry asks for another answer in a branch, and says which one it stands beside', async () => {
  await withModel(async (talk) => {
    const { does, server, terminal } = talk;
    server.script(say(words('First.')), say(words('Second.')));
    await does('/retry', 'nothing has been said here that could be answered');
    await does('hello', 'First.');
    await ended(talk);
    const first = standsAt(terminal);
    await does('/retry', `(another answer to the same message: a branch beside the one that ends at ${first})`);
    await terminal.waitFor('Second.');
    await ended(talk);
    expect(await does('/branches', 'has 2 branches')).toMatch(
      /1\. \[current\] → Assistant: Second\..*\n {2}2\. → Assistant: First\./,
    );
  });
});

test('/compact has the path summarised, and the model is sent the summary', async () => {
  await withModel(async (talk) => {
    const { does, server } = talk;
    server.script(say(words('First.')), say(words('They greeted.')), say(words('Again.')));
    await does('hello', 'First.');
    await ended(talk);
    await does('/compact keep the greeting', /Summary: .*They greeted\./s);
    await ended(talk);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('keep the greeting');
    await does('and now', 'Again.');
    await ended(talk);
    const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(sent).toContain('They greeted.');
    expect(sent).not.toContain('First.');
  });
});

test('/reload, /cost and /agents say what they do and what there is', async () => {
  await withModel(async (talk) => {
    const { does, server } = talk;
    server.script(say(words('First.')));
    await does('/reload', 'Instructions and skills are read anew with your next message.');
    await does('/cost', 'Nothing has been asked of a model in this conversation yet.');
    await does('/agents', 'Nothing is running.');
    await does('hello', 'First.');
    await ended(talk);
    expect(await does('/cost', 'this conversation')).toMatch(
      /^ +requests +in +out +cache read +cache write +price\nthis conversation +1 /,
    );
  });
});

test('while a turn runs some commands work, and the others say what to do instead', async () => {
  await withModel(async (talk) => {
    const { does, server, terminal, folder } = talk;
    server.script(say(call('c1', 'bash', { command: `while [ ! -e ${folder}/go ]; do :; done` })));
    terminal.type('work', '\r');
    await terminal.waitFor(/\[bash\] while/);
    await does('/retry', /a turn is running\nhint: end it first with \/stop/);
    await does('/compact', /a turn is running\nhint: wait for its end, or end it with \/stop/);
    await does('/execute', /a turn is running\nhint: wait for its end, or end it with \/stop/);
    await does(
      '!ls',
      /a turn is running, and what you run would not be a part of it\nhint: wait for its end, or use !!/,
    );
    await does('!!echo beside', '(not kept: it is no part of the conversation');
    expect(await does('/agents', 'anthropic/claude-sonnet-5')).toMatch(
      /^where +does +model +begun +task\nhere +\S+.*anthropic\/claude-sonnet-5 +just now/,
    );
    await does('/mark here', 'as "here".');
    await does('/rename Working', 'is called "Working" now.');
    await does('/level readonly', 'From your next message on the level is readonly');
    await does('/tree', 'User: work');
    await does('/fork root', '(the turn goes on without you)');
    await does('/agents', 'here');
    await does('/new', 'Starting new conversation...');
    await does('/agents', /^[0-9a-f]{8} +/m);
    await does('/use Working', 'Resuming conversation "Working"');
    await does('/goto here', 'You are at');
  });
});

test('/stop ends the turn and keeps what was said, /queue waits for its end', async () => {
  await withModel(async (talk) => {
    const { does, server, terminal } = talk;
    server.script(say(call('c1', 'bash', { command: 'while :; do :; done' })));
    await does('/stop', 'Nothing is running.');
    terminal.type('work', '\r');
    await terminal.waitFor(/\[bash\] while/);
    terminal.type('/queue and then this', '\r');
    await terminal.waitFor(/and then this/);
    await does('/stop', 'Go on with: /retry');
    // What waited for the end of the turn is given back.
    await terminal.waitFor((screen) => screen.at(-3) === '> and then this' || screen.at(-2) === '> and then this');
    terminal.type(KEYS.control('u'));
    await ended(talk);
    await does('/tree', /\[bash:while/);
  });
});
