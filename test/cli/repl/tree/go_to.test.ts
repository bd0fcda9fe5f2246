import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NodeId, TreeId, TurnId } from '../../../../hub/protocol/node.js';
import { call, words } from '../../../hub/agent/turn/turn_calls.js';
import { connectTo } from '../../../support/hub.js';
import { say } from '../../../support/model/script.js';
import { after, bash, treeIn, withTalk } from '../conversation/talk.js';

test('/back goes over messages: from an answer to its question, then to the answer before', async () => {
  await withTalk(async ({ server, chat }) => {
    server.script(
      bash('c1', 'true'),
      say(words('First.')),
      say(words('I look.'), call('c2', 'bash', { command: 'true' })),
    );
    server.script(say(words('Second.')));
    const { stdout } = await chat([
      'one',
      'two',
      '/back',
      '/tree',
      '/back 2',
      '/context',
      '/back 99',
      '/back',
      '/back 0',
    ]);
    expect(after(stdout, '/back')).toMatch(
      /^You are at [0-9a-f]{8} {2}User: two {2}just now, 5 nodes deep\nWhat you say next is another branch/,
    );
    expect(after(stdout, '/tree')).toMatch(/User: two +● you are here/);
    expect(after(stdout, '/back 2')).toMatch(/ User: one {2}just now, 1 node deep\n/);
    expect(after(stdout, '/context')).toMatch(/User {2}just now\none$/);
    expect(after(stdout, '/back 99')).toMatch(/ \(root\)\n/);
    expect(stdout).toContain('You are at the beginning: there is nothing to go back to.');
  });
});

test('/back takes only a number of messages', async () => {
  await withTalk(async ({ notes }) => {
    const { stderr, code } = await notes(['one', '/back x', '/back 0', '/back 1.5']);
    expect(stderr.match(/\/back takes a number of messages/g)).toHaveLength(3);
    expect(code).toBe(2);
  });
});

test('/fork at an end goes to just before the last question, elsewhere it stays', async () => {
  await withTalk(async ({ notes }) => {
    const { stdout } = await notes(['one', 'two', '/fork', '/fork', 'three', '/back', '/fork', '/tree']);
    const forks = stdout.split('Created branch at current position.\n').slice(1);
    expect(forks.map((text) => text.split('\n')[0])).toEqual([
      'Your next message is an alternative to "two".',
      'Your next message is an alternative to "two".',
      'Your next message is an alternative to "three".',
    ]);
    expect(after(stdout, '/tree')).toBe('(root)\n User: one          ● you are here\n ├── User: three\n User: two');
  });
});

test('/fork skips what was said to a turn on its way', async () => {
  await withTalk(async ({ cli, server, chat, env }) => {
    server.script(bash('c1', 'cat pipe'), say(words('Done.')));
    execFileSync('mkfifo', [join(cli.folder, 'pipe')]);
    const client = await connectTo(cli.home);
    const [tree, turn] = [TreeId.parse(randomUUID()), TurnId.parse(randomUUID())];
    await client.call('loom.tree_create', { id: tree, project: cli.folder });
    const said = {
      tree,
      parent: NodeId.parse(tree),
      role: 'user' as const,
      blocks: [{ type: 'text' as const, text: 'begin' }],
    };
    const { node } = await client.call('loom.node_create_text', said);
    const access = { anthropic: { base_url: server.origin, key: env.ANTHROPIC_API_KEY ?? null } };
    const running = client.call('agent.run', {
      ...{ id: turn, tree, node: node.id, access, cwd: cli.folder },
      change: { model: 'anthropic/claude-sonnet-5' },
    });
    // The command has begun when its pipe can be opened for writing.
    const pipe = await open(join(cli.folder, 'pipe'), 'w');
    await client.call('agent.steer', { turn, blocks: [{ type: 'text', text: 'and be quick' }] });
    await pipe.close();
    await running;
    await client.close();
    const { stdout } = await chat(['/fork', '/tree'], tree);
    expect(after(stdout, '/fork')).toContain('alternative to "begin"');
    expect(after(stdout, '/tree')).toContain('User: and be quick');
  });
});

test('/fork where nothing has been said says so, and /fork with a node goes exactly there', async () => {
  await withTalk(async ({ notes }) => {
    const { stdout } = await notes([
      '/fork',
      'one',
      '/mark here',
      'two',
      '/fork here',
      '/branches',
      'three',
      '/branches',
    ]);
    expect(after(stdout, '/fork')).toContain('Nothing has grown from here yet: your next message is the first.');
    expect(after(stdout, '/fork here')).toContain('alternative to "two"');
    expect(after(stdout, '/branches')).toMatch(/^Current node has 1 branch:\n {2}1\. → "two" /);
    const last = stdout.slice(stdout.lastIndexOf('> /branches'));
    expect(last).toMatch(/has 2 branches:\n {2}1\. \[current\] → "three" .*\n {2}2\. → "two" /);
  });
});

test('/fork where a model went on with a call names the call; one of several with its own id and size', async () => {
  await withTalk(async ({ server, chat }) => {
    server.script(bash('c1', 'echo first'), say(words('One.')), bash('c2', 'echo second'), say(words('Two.')));
    const { stdout, stderr } = await chat(['begin', '/back', '/fork', '/retry', '/back', '/fork', '/branches']);
    expect(after(stdout, '/fork')).toContain('Your next message is an alternative to [bash:echo first].');
    const last = stdout.slice(stdout.lastIndexOf('> /fork'));
    expect(last).toContain('Your next message is an alternative to [bash:echo second].');
    const id = /\(that branch is ([0-9a-f]{8}), 2 nodes, just now; all 2: \/branches\)/.exec(stderr)?.[1];
    expect(last).toMatch(new RegExp(`1\\. → \\[bash:echo second\\] +${id} +2 nodes`));
  });
});

test('/branches says when there are none, and after a fork at an end looks only there', async () => {
  await withTalk(async ({ notes }) => {
    const { stdout } = await notes(['one', '/branches', '/back', 'two', '/mark end', '/fork end', '/branches']);
    expect(after(stdout, '/branches')).toBe('Current node has no branches, and there is no fork above it.');
    expect(stdout.slice(stdout.lastIndexOf('> /branches'))).toContain('nothing has grown from here yet');
  });
});

test('/switch goes to a node, or by number to where one stood last in a branch', async () => {
  await withTalk(async ({ notes }) => {
    const lines = [
      'one',
      'deep',
      'deeper',
      '/back',
      '/back 2',
      'two',
      '/branches',
      '/switch 2',
      '/switch 1',
      '/leaves',
    ];
    const { stdout } = await notes([...lines, '/switch 3', '/switch root', '/switch 12']);
    expect(after(stdout, '/branches')).toMatch(/1\. \[current\] → "two".*\n {2}2\. → "one"/);
    // Not the newest end of that branch, but the place of before.
    expect(after(stdout, '/switch 2')).toMatch(/ User: deep {2}just now, 2 nodes deep\n/);
    expect(after(stdout, '/switch 1')).toMatch(/ User: two {2}just now, 1 node deep$/);
    expect(after(stdout, '/leaves')).toMatch(/^1\. ● .* two\n {2}2\. .* one$/);
  });
});

test('/switch by number goes to the newest end of a branch in which one never stood', async () => {
  await withTalk(async ({ cli, notes }) => {
    const tree = treeIn((await notes(['one', 'below', '/back 2', 'two'])).stdout);
    const { stdout, stderr } = await notes(
      ['/switch 1', '/branches', '/switch 2', '/switch 7', '/switch', '/switch zzzz'],
      tree,
    );
    expect(after(stdout, '/switch 2')).toMatch(/ User: below {2}just now, 2 nodes deep$/);
    expect(stderr).toContain('nothing has been listed yet');
    expect(stderr).toContain('the last list has no number 7');
    expect(stderr).toContain('/switch takes a node');
    expect(stderr).toContain('no node "zzzz"');
    // The file has the last move, and other commands act there.
    expect(await cli.print('show', tree)).toMatch(/User: below +● you are here/);
  });
});

test('a node inside a step means the end of its step', async () => {
  await withTalk(async ({ cli, server, chat }) => {
    server.script(
      say(call('c1', 'bash', { command: 'true' }), call('c2', 'bash', { command: 'echo b' })),
      say(words('Done.')),
    );
    const tree = treeIn((await chat(['begin'])).stdout);
    const first = /([0-9a-f]{8}) \[bash:true\]/.exec(await cli.print('show', tree, '--ids'))?.[1] ?? '';
    const { stdout, stderr } = await chat([`/goto ${first}`], tree);
    expect(stderr).toContain('is inside a step; this is its end');
    expect(after(stdout, `/goto ${first}`)).toMatch(/\[bash:echo b\]/);
  });
});

test('/back, /goto and /switch with --summary bring a summary of what one leaves along, also of the demo', async () => {
  await withTalk(async ({ server, chat, notes }) => {
    server.script(say(words('A garden.')), say(words('Forty-two.')), say(words('## Found\n42 beans.')));
    server.script(say(words('Peas.')));
    const { stdout, stderr } = await chat([
      'what is here',
      'count the beans',
      '/back 2 --summary',
      'and peas',
      '/tree',
    ]);
    expect(stderr).toContain('what you left is being summarised');
    expect(stderr).toMatch(
      /\(the model is told: Summary of the branch that ends at [0-9a-f]{8} \(2 nodes\), which was left:/,
    );
    expect(stderr).toContain('42 beans.');
    const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(sent).toContain('42 beans.');
    expect(sent).not.toContain('count the beans');
    expect(after(stdout, '/tree')).toMatch(/User: Summary of the branch .*\n.*User: and peas/);
    const lines = ['hello', 'and then', '/mark end', '/goto root --summary', 'more', '/switch end --summary'];
    const demo = await notes(lines, '--model', 'demo');
    const told = demo.stderr.split('(the model is told: ');
    expect(told[1]).toContain('- hello\n- and then');
    expect(told[2]).toContain('- more');
  });
});

test('a summary of nothing, or without a model, says so, and one is where one went', async () => {
  await withTalk(async ({ notes }) => {
    const lines = ['one', '/mark one', 'two', '/goto root', '/goto one --summary'];
    const demo = await notes(lines, '--model', 'demo');
    expect(after(demo.stdout, '/goto one --summary')).toContain('You are at');
    expect(demo.stderr).toContain('nothing is left behind');
    const { stdout, stderr } = await notes(['one', '/back --summary']);
    expect(after(stdout, '/back --summary')).toContain('(root)');
    expect(stderr).toMatch(/no model is chosen/);
  });
});
