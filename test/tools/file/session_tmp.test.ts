import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { BashSessionId } from '../../../hub/protocol/methods/tool_methods.js';
import { sessionTmp } from '../../../tools/file/path/session_tmp.js';
import { call, words } from '../../hub/agent/turn/turn_calls.js';
import { withFolder } from '../../support/hub.js';
import { say } from '../../support/model/script.js';
import { type TestAgent, withAgent } from '../../support/turns.js';

/** The results of calls that are made one after another. */
async function resultsOf(agent: TestAgent, ...calls: [tool: string, input: object][]): Promise<string[]> {
  const { server, run, say: ask, path } = agent;
  server.script(...calls.map(([tool, input], index) => say(call(`c${index}`, tool, input))), say(words('Done.')));
  const { tip } = await run(await ask('go'));
  return (await path(tip)).flatMap((node) =>
    node.kind === 'external' ? [node.blocks.map((block) => ('text' in block ? block.text : '')).join('')] : [],
  );
}

test('the tools for files and commands share one /tmp, whose real place is never named', async () => {
  await withAgent(async (agent) => {
    const results = await resultsOf(
      ...[agent],
      ['write', { path: '/tmp/a/b.txt', content: 'one\n' }],
      ['bash', { command: 'cat /tmp/a/b.txt /var/tmp/a/b.txt; echo two > /tmp/c' }],
      ['edit', { path: '/tmp/c', old_text: 'two', new_text: 'three' }],
      ['read', { path: '/tmp/../tmp/c' }],
      ['bash', { command: 'cat /tmp/c' }],
      ['read', { path: '/tmp' }],
      ['read', { path: '/var/tmp/' }],
      ['read', { path: '/tmp/nowhere/x' }],
      ['write', { path: '/tmp/c/d', content: 'x' }],
      ['read', { path: '/tmpx/a' }],
    );
    expect(results.slice(0, 5)).toEqual([
      '[made /tmp/a/b.txt: 1 line, 4 bytes]',
      'one\none\n',
      '[edited /tmp/c: 1 → 1 lines at line 1]\n-two\n+three',
      'three',
      'three\n',
    ]);
    expect(results[5]).toContain('/tmp is a folder, not a file (in it: a/, c');
    expect(results[6]).toContain('/var/tmp/ is a folder, not a file (in it: a/, c');
    expect(results[7]).toMatch(/^\/tmp\/nowhere\/x does not exist \((there is|look into \/tmp)/);
    expect(results.join('\n')).not.toContain(agent.hub.home);
  });
});

test('a link in /tmp leads where the policy lets it, and to no other conversation', async () => {
  await withAgent(async (agent) => {
    const { project, hub } = agent;
    const secret = join(hub.home, 'secret');
    const outside = join(dirname(hub.home), 'outside');
    for (const path of [secret, outside]) writeFileSync(path, 'SECRET');
    writeFileSync(join(project, 'mine'), 'mine');
    mkdirSync(join(project, '.git', 'hooks'), { recursive: true });
    const links = { secret, outside, mine: join(project, 'mine'), git: join(project, '.git', 'hooks'), all: '/' };
    const made = Object.entries(links).map(([name, target]) => `ln -s ${target} /tmp/${name}`);
    const [, ...results] = await resultsOf(
      ...[agent],
      ['bash', { command: [...made, 'mkdir /tmp/.git'].join('; ') }],
      ['read', { path: '/tmp/mine' }],
      ['read', { path: '/tmp/secret' }],
      ['read', { path: '/tmp/outside' }],
      ['read', { path: `/tmp/all${secret}` }],
      ['write', { path: '/tmp/secret', content: 'x' }],
      ['write', { path: '/tmp/outside', content: 'x' }],
      ['write', { path: '/tmp/git/pre-commit', content: 'x' }],
      ['write', { path: '/tmp/.git/config', content: 'x' }],
      ['edit', { path: '/tmp/mine', old_text: 'mine', new_text: 'yours' }],
    );
    expect(results[0]).toBe('mine');
    expect(results.join('\n')).not.toContain('SECRET');
    for (const refused of results.slice(1, 7))
      expect(refused).toMatch(/outside of what may be|where the conversations/);
    expect(results[7]).toContain('[made /tmp/.git/config');
    expect(readFileSync(join(project, 'mine'), 'utf8')).toBe('yours');
    expect([secret, outside].map((path) => readFileSync(path, 'utf8'))).toEqual(['SECRET', 'SECRET']);
  });
});

test('what a policy shows below /tmp is itself, and what lies beside it in one folder is nothing of the session', () =>
  withFolder(async (sessionsFolder) => {
    const session = BashSessionId.parse('session-0123456789');
    const machine = { userHome: '/people/me', cognitionHome: '/people/me/store', commands: '/none', path: '/bin' };
    const of = (writable: string[], readable: string[] | null = null) =>
      sessionTmp(
        { sessionsFolder, machine },
        { session, policy: { kind: 'contained', network: false, writable, readable } },
      );
    const folder = join(sessionsFolder, session);
    const place = (path: string) => of(['/tmp/job/project'], ['/var/tmp/data'])?.placeOf(path);
    expect(place('/tmp')).toBe(folder);
    expect(place('/tmp/')).toBe(`${folder}/`);
    expect(place('/tmp/a/b/')).toBe(`${folder}/a/b/`);
    expect(place('/tmp/job2')).toBe(`${folder}/job2`);
    expect(place('/var/tmp/job')).toBe(`${folder}/job`);
    for (const path of ['/tmp/job', '/tmp/job/other', '/tmp/job/project/a', '/var/tmp/data/x', '/tmpx', '/a/tmp/b']) {
      expect(place(path)).toBe(path);
    }
    expect(of(['/tmp'])?.placeOf('/tmp/a')).toBe('/tmp/a');
    expect(sessionTmp({ sessionsFolder, machine }, { session, policy: { kind: 'open' } })).toBeNull();
  }));
