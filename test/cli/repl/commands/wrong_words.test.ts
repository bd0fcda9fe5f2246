import { expect, test } from 'vitest';
import { NodeId, TreeId } from '../../../../hub/protocol/node.js';
import { connectTo } from '../../../support/hub.js';
import { KEYS } from '../../../support/terminal.js';
import { standsAt, withNotes } from './command_talk.js';

const NODE_HINT = 'hint: see them with: /tree --ids, or /leaves';
const HUGE = 'a'.repeat(300);
const OTHER_NODE = '11111111-2222-4333-8444-555555555555';

/** What is typed, the clear line that is said, and what to do instead. */
const MOVING: readonly (readonly [string, string, string])[] = [
  ['/back x', '/back takes a number of messages, not "x"', 'hint: /back 2; to go to a certain node: /goto <node>'],
  ['/back 1 2', '/back takes a number of messages, not "1 2"', 'hint: /back 2'],
  ['/back 99999999999', '/back takes a number of messages, not "99999999999"', 'hint: /back 2'],
  ['/fork nosuch', 'no node "nosuch" in tree', NODE_HINT],
  ['/fork one two', 'no node "one two" in tree', NODE_HINT],
  ['/switch', '/switch takes a node, or a number of the last list', 'hint: list them with /branches or /leaves'],
  ['/switch 7', 'nothing has been listed yet', 'hint: choose from this list: /switch <number>'],
  ['/switch 1234567', 'no node "1234567" in tree', NODE_HINT],
  ['/switch 数据', 'no node "数据" in tree', NODE_HINT],
  [`/switch ${OTHER_NODE}`, `there is no node ${OTHER_NODE}`, 'hint: see them with: /tree --ids'],
  [`/goto ${HUGE}`, `no node "${'a'.repeat(60)}…" in tree`, NODE_HINT],
  ['/goto', '/goto takes a node', 'hint: see their ids with: /tree --ids'],
  ['/goto "open', 'no node "\\"open" in tree', NODE_HINT],
  ['/branches here', '/branches takes --all or nothing, not "here"', 'hint: /branches [--all]'],
  ['/leaves 2', '/leaves takes --all or nothing, not "2"', 'hint: /leaves [--all]'],
  ['/tree --deep', "/tree: unknown option '--deep'", 'hint: /tree [--full] [--forks] [--files] [--nested]'],
  ['/clear all', '/clear takes nothing after it', 'hint: /clear'],
];

const BESIDE: readonly (readonly [string, string, string])[] = [
  [
    '/context a b',
    'these are too many words for /context',
    'hint: /context [node] [--full] [--fresh] [--others] [--model]',
  ],
  ['/context nosuch', 'no node "nosuch" in tree', NODE_HINT],
  ['/compare', '/compare takes more words', 'hint: /compare <node> <node>'],
  ['/compare root', '/compare takes more words', 'hint: /compare <node> <node>'],
  ['/compare root root root', 'these are too many words for /compare', 'hint: /compare <node> <node>'],
  ['/mark a b c', 'these are too many words for /mark', 'hint: /mark [name] [node] [--remove]'],
  ['/mark "a', 'a quote is not closed', 'hint: put a backslash before a quote that is meant as such'],
  ['/mark x --remove', 'there is no mark "x"', 'hint: see them with: /mark'],
  ['/rename', '/rename takes a name', 'hint: /rename parser, second try'],
  ['/cost --by colour', "option '--by <part>' argument 'colour' is invalid.", 'hint: /cost [node] [--by part]'],
  ['/log nosuch', 'these are too many words for /log', 'hint: /log [--jsonl]'],
  ['/git push', '/git takes status, undo or take, not "push"', 'hint: /git [status|undo|take] [branch]'],
  ['/git take a b', 'these are too many words for /git', 'hint: /git [status|undo|take] [branch]'],
  ['/log -f', 'what happens is shown here as it happens', 'hint: in another terminal: cognition log'],
  ['/list extra', 'these are too many words for /list', 'hint: /list [--archived] [--here] [--of tree]'],
  ['/search', '/search takes words to look for', 'hint: /search apple pie'],
  ['/search a --limit many', '--limit takes a whole number from 1 to 100000, not "many"', ''],
  [
    '/export --format pdf',
    "option '--format <format>' argument 'pdf' is invalid.",
    'hint: /export [node] [--format format]',
  ],
  ['/copy nosuch', 'no node "nosuch" in tree', NODE_HINT],
  ['/copy', 'there is no answer yet', 'hint: name a node: /copy <node>'],
  ['/output', 'no command has been run on this branch', 'hint: run one: !ls'],
];

const OTHERS: readonly (readonly [string, string, string])[] = [
  ['/use', '/use takes a conversation', 'hint: see them with: /list'],
  ['/use nosuch', 'no tree "nosuch"', 'hint: see them with: /list'],
  [`/use ${HUGE}`, `no tree "${'a'.repeat(60)}…"`, 'hint: see them with: /list'],
  ['/model nosuch', 'no model is called nosuch', 'hint: give it as provider/model'],
  ['/level high', '/level takes one of minimal, orchestrator, readonly, plan, ask, not "high"', 'hint: /level alone'],
  ['/level readnly', '/level takes one of', 'hint: did you mean readonly?'],
  ['/plan a house', '/plan takes on or off, not "a house"', 'hint: to say what is to be planned, say it as a message'],
  ['/execute now', '/execute takes nothing after it', 'hint: /execute'],
  ['/execute', 'there is no plan: .cognition/plan.md does not exist, or is empty', 'hint: make one with /plan'],
  ['/retry that', '/retry takes an option or nothing, not "that"', 'hint: /retry, or /retry --keep-files'],
  ['/undo it', '/undo takes nothing after it', 'hint: /undo'],
  ['/undo', 'you have gone nowhere since you last said something', 'hint: to go to another node'],
  ['/files carry', 'nothing is asked that "carry" would answer', 'hint: /files'],
  ['/retry', 'no model is chosen', 'hint: set ANTHROPIC_API_KEY'],
  ['/compact', 'no model is chosen', 'hint: set ANTHROPIC_API_KEY'],
  ['/answer yes', 'nothing is asked here', 'hint: to say something, just type it'],
  ['/queue', '/queue takes a message', 'hint: /queue then run the tests'],
  ['/reset now', '/reset takes nothing after it', 'hint: /reset'],
  ['/stop it', '/stop takes nothing after it', 'hint: /stop'],
  ['/help nosuch', 'there is no command "nosuch"', 'hint: /help alone lists them'],
  ['/help resume', 'there is no command "resume"', 'hint: see conversations with /list'],
  ['/frok', 'there is no command /frok', 'hint: did you mean /fork?'],
  ['/help swich', 'there is no command "swich"', 'hint: did you mean /help switch?'],
  ['/quit now', '/quit takes nothing after it', 'hint: /quit'],
  ['/zzz', 'there is no command /zzz', 'hint: /help lists them'],
  ['!', 'there is no command after the !', 'hint: !ls'],
];

/** Each is refused with a clear line and a hint, nothing moves, and what was typed is had back. */
async function refused(table: typeof MOVING): Promise<void> {
  await withNotes(async ({ terminal, does, tree }) => {
    await does('one', 'notes');
    await terminal.waitFor(() => !['', tree().slice(0, 8)].includes(standsAt(terminal)));
    const here = standsAt(terminal);
    for (const [line, said, hint] of table) {
      const shown = await does(line, hint === '' ? said : rowEnds(hint));
      expect(shown.replaceAll(/\s/g, '')).toContain(said.replaceAll(/\s/g, ''));
    }
    expect(standsAt(terminal)).toBe(here);
    const last = table.at(-1)?.[0] ?? '';
    terminal.type(KEYS.up);
    await terminal.waitFor((screen) => screen.at(-2) === `> ${last}`);
  });
}

/** A text that may go on in the next row behind any word, and within those that are longer than a row. */
function rowEnds(text: string): RegExp {
  const letters = [...text].map((letter) => (letter === ' ' ? '\\s' : letter.replace(/\W/g, '\\$&')));
  return new RegExp(letters.join('\n?'));
}

test('commands that move refuse wrong words with a line and a hint, and nothing moves', () => refused(MOVING));

test('commands that show and name refuse wrong words with a line and a hint', () => refused(BESIDE));

test('all other commands refuse wrong words with a line and a hint', () => refused(OTHERS));

test('a command is found in upper and lower case, with blanks around it, and by other names', async () => {
  await withNotes(async ({ terminal, does }) => {
    await does('one', 'notes');
    terminal.type('  /TREE   ', KEYS.enter);
    await terminal.waitFor('you are here');
    terminal.type('/exit', KEYS.enter);
    expect(await terminal.exited).toMatchObject({ code: 0 });
  });
});

test('an ambiguous beginning of an id lists what it could mean', async () => {
  await withNotes(async ({ home, tree, does, terminal }) => {
    await does('zero', 'notes');
    const client = await connectTo(home);
    for (const number of [1, 2]) {
      const id = NodeId.parse(`abcd1234-0000-4000-8000-00000000000${number}`);
      const blocks = [{ type: 'text' as const, text: `twin ${number}` }];
      const said = { tree: TreeId.parse(tree()), parent: NodeId.parse(tree()), role: 'user' as const, blocks };
      await client.call('loom.node_create_text', { id, ...said });
    }
    await client.close();
    const here = standsAt(terminal);
    const said = await does('/goto abcd', 'hint: give more digits of the id');
    expect(said).toMatch(
      /"abcd" means 2 nodes:\n {2}abcd1234-0000-4000-8000-000000000002 {2}User: twin 2\n {2}abcd1234-0000-4000-8000-000000000001 {2}User: twin 1\n/,
    );
    expect(standsAt(terminal)).toBe(here);
    await does('/goto abcd1234-0000-4000-8000-000000000001', /You are at abcd1234 {2}User: twin 1/);
  });
});

test('several lines are a text unless they follow a command that takes one', async () => {
  await withNotes(async ({ terminal, does, server }) => {
    terminal.paste('/srv is full\nplease look');
    terminal.type(KEYS.enter);
    await terminal.waitFor(/^> \/srv is full\n {0,2}please look$/m);
    expect(server.requests).toHaveLength(0);
    terminal.paste('/fork\nand then');
    terminal.type(KEYS.enter);
    await terminal.waitFor('/fork takes one line');
    await does('/tree', /User: \/srv is full please look +● you are here/);
  });
});
