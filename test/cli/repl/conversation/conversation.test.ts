import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { breaking, fail, say } from '../../../support/model/script.js';
import { after, bash, treeIn, withTalk } from './talk.js';

test('without a model messages are notes, which is said once, and bash and branches work', async () => {
  await withTalk(async ({ cli, notes }) => {
    const { code, stdout, stderr } = await notes([
      'remember the milk',
      'and the bread',
      '!echo hi; echo there >&2',
      '/tree',
    ]);
    expect(code).toBe(0);
    expect(stderr.match(/messages are kept as notes/g)).toHaveLength(1);
    expect(stderr).toMatch(/^\(no model is chosen.*\nhint: .*ANTHROPIC_API_KEY.*\/model demo\n$/);
    expect(after(stdout, '!echo hi; echo there >&2')).toBe('[bash] echo hi; echo there >&2\nhi\nthere');
    expect(after(stdout, '/tree')).toContain('[bash:echo hi; echo there >&2]          ● you are here');
    expect(await cli.print('context', '@')).toContain('remember the milk');
  });
});

test('a conversation in which nothing is said is not kept', async () => {
  await withTalk(async ({ cli, notes }) => {
    const { code, stdout } = await notes(['', '   ', '/help quit']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\/quit\n {2}leave; the conversation stays\n/);
    expect(stdout).toMatch(/\nNothing was said, so nothing is kept\.\n$/);
    expect(await cli.json('list')).toEqual([]);
  });
});

test('a command that fails says how it ended, and !! leaves no node', async () => {
  await withTalk(async ({ cli, notes }) => {
    const { stdout, stderr } = await notes(['!echo a; exit 3', '!!echo hidden', '!false', '!', '/tree']);
    expect(after(stdout, '!echo a; exit 3')).toBe('[bash] echo a; exit 3\na\n(exit code 3)');
    expect(after(stdout, '!!echo hidden')).toBe('[bash] echo hidden\nhidden');
    expect(stderr).toContain('(not kept: it is no part of the conversation, and no model is shown it)');
    expect(stderr).toContain('there is no command after the !');
    expect(after(stdout, '/tree')).not.toContain('hidden');
    expect(await cli.json('list')).toMatchObject([{ node_count: 3 }]);
  });
});

test('commands go where the one before has left off, also in the next chat', async () => {
  await withTalk(async ({ cli, notes }) => {
    const tree = treeIn((await notes(['!mkdir below && cd below'])).stdout);
    const { stdout, stderr } = await notes(['!pwd'], tree);
    expect(after(stdout, '!pwd')).toBe(`[bash] pwd\n${join(cli.folder, 'below')}`);
    expect(stderr).toContain(`(in ${join(cli.folder, 'below')})`);
  });
});

test('a failing server is one clear line, and one can go on with /retry', async () => {
  await withTalk(async ({ server, chat }) => {
    server.script(fail(401, 'invalid x-api-key', { type: 'authentication_error' }), say(words('Here I am.')));
    const { code, stdout, stderr } = await chat(['hello', '/retry', '/tree']);
    expect(stderr).toMatch(/^cognition: .*x-api-key.*\nhint: .*\/retry\nTranscript: .*\n$/);
    expect(code).toBe(5);
    expect(after(stdout, '/retry')).toBe('Here I am.');
    expect(after(stdout, '/tree')).toBe('(root)\n User: hello\n Assistant: Here I am.          ● you are here');
  });
});

test('/retry of an answer makes another one beside it', async () => {
  await withTalk(async ({ server, chat }) => {
    server.script(say(words('One way.')), say(words('Another way.')));
    const { stdout } = await chat(['how?', '/retry', '/branches']);
    expect(after(stdout, '/branches')).toMatch(
      /1\. \[current\] → Assistant: Another way\..*\n {2}2\. → Assistant: One way\./,
    );
  });
});

test('an answer that is cut off and begins again is told so', async () => {
  await withTalk(async ({ server, chat }) => {
    server.script(breaking('cut', words('Once upon')), say(words('Once upon a time.\n\nThe end.')));
    const { stdout } = await chat(['tell me a story']);
    expect(after(stdout, 'tell me a story')).toBe(
      'Once upon\n(the answer starts again)\n\nOnce upon a time.\n\nThe end.',
    );
  });
});

test('a chat that is taken up again shows the last messages and where one stands', async () => {
  await withTalk(async ({ cli, server, chat }) => {
    server.script(say(words('First.')), bash('c1', 'echo seen'), say(words('Second.')), say(words('Third.')));
    const tree = treeIn((await chat(['one', 'two', '/rename my talk'])).stdout);
    const again = await chat(['three'], 'my talk');
    expect(again.stdout).toBe(
      `Resuming conversation "my talk"...\nTree: ${tree}\nFolder: ${cli.folder}\n\n> one\n\nFirst.\n\n> two\n\n[bash] echo seen\nseen\n\nSecond.\n\n` +
        `> three\n\nThird.\nSession saved. Resume with: cognition chat ${tree.slice(0, 8)}\n`,
    );
    expect(again.stderr).toMatch(/^Transcript: .*\n$/);
    const last = await chat([], '@');
    expect(last.stderr).toBe('(what came before: /context)\n');
    expect(last.stdout).not.toContain('> one');
    expect(await cli.run(['chat', 'nothing like it'])).toMatchObject({ code: 3 });
  });
});

test('where it is not known where one stands the leaves are listed, and a script exits 3', async () => {
  await withTalk(async ({ cli, notes }) => {
    await cli.print('new', 'notes');
    await cli.print('add', '@', 'one');
    await cli.print('add', '@', 'two', '--at', 'root');
    writeFileSync(join(cli.home, 'session.json'), '{"version":1,"current":null,"trees":{}}');
    const lost = await notes(['hello'], 'notes');
    expect(lost).toMatchObject({ code: 3, stdout: '' });
    expect(lost.stderr).toMatch(/it has 2 leaves:\n.*two\n.*one\nhint: .*--at <node>/);
    const { stdout } = await notes(['/back'], 'notes', '--at', 'root');
    expect(stdout).toContain('You are at the beginning');
    expect(await notes([], '--at', 'root')).toMatchObject({ code: 2 });
    expect(await cli.run(['chat', '--json'])).toMatchObject({ code: 2 });
  });
});

test('an archived conversation can be read, and what is said is refused with the way to restore it', async () => {
  await withTalk(async ({ cli, notes }) => {
    const tree = treeIn((await notes(['one'])).stdout);
    await cli.print('delete', tree);
    const { code, stdout, stderr } = await notes(['two', '/tree'], tree);
    expect(stdout).toContain('> one');
    expect(stderr).toContain('(this conversation is archived');
    expect(stderr).toMatch(/\(not sent: two\)\ncognition: .*archived.*\nhint: .*cognition restore/);
    expect(after(stdout, '/tree')).not.toContain('two');
    expect(code).toBe(1);
  });
});

test('/new and /use go between conversations, and each has its own place', async () => {
  await withTalk(async ({ cli, notes }) => {
    const { stdout } = await notes([
      'one',
      '/rename first',
      '/new second',
      'two',
      '/use first',
      '/list',
      '/use nowhere',
    ]);
    expect(after(stdout, '/use first')).toMatch(/^Resuming conversation "first"/);
    expect(after(stdout, '/list')).toMatch(/second .*\n\* [0-9a-f]{8} {2}first/m);
    expect(await cli.json('list')).toMatchObject([{ name: 'second' }, { name: 'first' }]);
  });
});

test('unknown commands get the nearest, and a path is a message', async () => {
  await withTalk(async ({ notes }) => {
    const { code, stdout, stderr } = await notes(['/bck', '/xyzzyx', '/sw', '/etc/passwd has what?', '/LEAVES']);
    expect(stderr).toContain('cognition: there is no command /bck\nhint: did you mean /back?\n');
    expect(stderr).toContain('cognition: there is no command /xyzzyx\nhint: /help lists them\n');
    expect(stderr).toContain('no command /sw\nhint: did you mean /switch?');
    expect(after(stdout, '/LEAVES')).toContain('/etc/passwd has what?');
    expect(code).toBe(2);
  });
});

test('lines that are no messages are refused, and the next are read', async () => {
  await withTalk(async ({ cli, notes }) => {
    const broken = Buffer.concat([
      Buffer.from('good\r\n'),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from('数据 👩‍👩‍👧'),
    ]);
    const { code, stdout, stderr } = await cli.run(['chat'], { input: broken });
    expect(stderr).toContain('not UTF-8');
    expect(stdout).toContain('> good\n\n> 数据 👩‍👩‍👧\n');
    expect(code).toBe(2);
    const long = await notes([`${'x'.repeat(9 * 1024 * 1024)}`, 'short']);
    expect(long.stderr).toContain('a line has more than 8.0 MiB');
    expect(long.stdout).toContain('> short\n');
  });
});

test('control sequences of models and commands are not printed', async () => {
  await withTalk(async ({ server, chat }) => {
    server.script(say(words('red \x1b[31mhere\x1b[0m \x1b]0;evil\x07done')));
    const { stdout } = await chat(['colour?', String.raw`!printf '\033[2Jcleared\n'`]);
    expect(stdout).not.toContain('\x1b');
    expect(stdout).toContain('red here done');
    expect(stdout).toContain('\ncleared\n');
  });
});

test('the model, its level and what it is granted can be said at the start, and changed on the way', async () => {
  await withTalk(async ({ cli, server, chat, notes }) => {
    writeFileSync(join(cli.folder, 'a.py'), '');
    const demo = await notes(['list the python files'], '--model', 'demo', '--level', 'readonly', '--net');
    expect(after(demo.stdout, 'list the python files')).toContain('[bash] ls *.py\na.py');
    const open = await notes(['hello'], '--model', 'demo', '--no-sandbox');
    expect(open.stderr).toMatch(/^UNSANDBOXED: its commands run as in your own shell.*\nTranscript: .*\.json\n$/);
    expect(await cli.run(['chat', '--level', 'admin'])).toMatchObject({ code: 2 });
    const changed = await chat([
      '/model demo',
      '/level minimal',
      'hello',
      '/model',
      '/reload',
      '/level all',
      '/model x/y',
    ]);
    expect(after(changed.stdout, '/model')).toMatch(/^Here demo\/demo answers\./);
    expect(after(changed.stdout, 'hello')).toContain('I am the demo model');
    expect(changed.stderr).toContain('/level takes one of minimal');
    expect(server.requests).toEqual([]);
  });
});

test('/search, /mark, /cost, /context, /export and /compare do what they do on the command line, from where one stands', async () => {
  await withTalk(async ({ cli, notes }) => {
    const target = join(cli.folder, 'talk.md');
    const lines = [
      'one apple',
      'one pear',
      '/mark pears',
      '/back',
      'one plum',
      '/search pear',
      '/search zebra',
      '/mark',
    ];
    const { stdout, stderr, code } = await notes([
      ...lines,
      `/export --format markdown --output ${target}`,
      `/export --format markdown --output ${target}`,
      '/compare @ pears',
      '/context',
      '/cost',
      '/export --nothing',
      '/search apple --everywhere',
    ]);
    expect(after(stdout, '/search pear')).toContain('one pear');
    expect(after(stdout, '/mark')).toMatch(/^[0-9a-f]{8} {2}just now {2}pears$/);
    expect(readFileSync(target, 'utf8')).toMatch(/one apple[\s\S]*one plum/);
    expect(readFileSync(target, 'utf8')).not.toContain('one pear');
    expect(stderr).toContain('is there already');
    expect(stderr).toContain("unknown option '--nothing'");
    expect(after(stdout, '/compare @ pears')).toMatch(/one plum[\s\S]*one pear/);
    expect(after(stdout, '/context')).not.toContain('one pear');
    expect(after(stdout, '/cost')).toBe('Nothing has been asked of a model in this conversation yet.');
    expect(after(stdout, '/search apple --everywhere')).toContain('one apple');
    expect(code).toBe(1);
  });
});

test('/output prints all that a command printed, and /agents what runs', async () => {
  await withTalk(async ({ notes }) => {
    const { stdout, stderr } = await notes([
      '!seq 200',
      '/output',
      '/agents',
      '/copy',
      '/answer 1',
      '/stop',
      '/queue later',
      '/queue',
    ]);
    expect(after(stdout, '/output').split('\n')).toHaveLength(200);
    expect(after(stdout, '/agents')).toBe('Nothing is running.');
    expect(stderr).toContain('there is no answer yet');
    expect(stderr).toContain('nothing is asked here');
    expect(stderr).toContain('Nothing is running.');
    expect(stdout).toContain('\n> later\n');
    expect(stderr).toContain('/queue takes a message');
  });
});

test('the system prompt can be said at the start', async () => {
  await withTalk(async ({ server, chat }) => {
    await chat(['hello'], '--system', 'You are a stone.');
    expect(JSON.stringify(server.requests[0]?.body.system)).toContain('You are a stone.');
  });
});
