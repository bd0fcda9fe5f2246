import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../../hub/protocol/turn.js';
import { say } from '../../../support/model/script.js';
import { type TestAgent, type TestTurn, told, withAgent } from '../../../support/turns.js';
import { spawn } from '../sub_sessions/sub_session_turns.js';
import { call, words } from '../turn/turn_calls.js';

const NAMES = 'export GIT_AUTHOR_NAME=m GIT_AUTHOR_EMAIL=m@m GIT_COMMITTER_NAME=m GIT_COMMITTER_EMAIL=m@m;';

function git(project: string, ...given: string[]): string {
  const names = ['-c', 'user.name=p', '-c', 'user.email=p@p'];
  return execFileSync('git', ['-C', project, ...names, ...given], { encoding: 'utf8' });
}

function makeRepository({ project }: TestAgent): void {
  git(project, 'init', '-q', '-b', 'main');
  writeFileSync(join(project, 'sum.js'), 'exports.sum = (a, b) => a - b;\n');
  writeFileSync(join(project, 'test.js'), "require('assert').equal(require('./sum').sum(1, 2), 3);\n");
  writeFileSync(join(project, '.gitignore'), 'node_modules\n');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'first');
}

const bash = (id: string, command: string) => call(id, 'bash', { command: `${NAMES} ${command}` });
const notesOf = ({ events }: Pick<TestTurn, 'events'>): string[] =>
  events.flatMap((event: AgentEvent) => (event.kind === 'project_noted' ? event.lines : []));

test('a turn edits, tests, commits, switches a branch and installs a package without a question', () =>
  withAgent(async (agent) => {
    const { server, project, begin, say: ask } = agent;
    makeRepository(agent);
    await withPackage(dirname(project), async (address) => {
      server.script(
        say(call('c1', 'edit', { path: 'sum.js', old_text: 'a - b', new_text: 'a + b' })),
        say(
          bash(
            'c2',
            'node test.js && git switch -qc fix && git add -A && git commit -qm "Add rightly" && git status -s',
          ),
        ),
        say(bash('c3', `npm install --silent --no-audit --no-fund ${address} && node_modules/.bin/tool`)),
        say(
          bash(
            'c4',
            'echo "{}" >package.json && git stash -qu && git switch -q main && git stash pop -q; git switch -q fix; git log --format=%s',
          ),
        ),
        say(words('Done.')),
      );
      const turn = begin(await ask('go'), { grants: { network: true } });
      expect(await turn.outcome).toMatchObject({ state: 'done', questions: [] });
      expect(told(await agent.path((await turn.outcome).tip)).join('\n')).toContain('tool works');
      expect(notesOf(turn)).toEqual([
        '1 commit from the model on the new fix',
        'you are on fix now, as the model is',
        'the model made or changed what runs as you: as you install or build: node_modules/.bin',
      ]);
      expect(git(project, 'log', '--format=%s', 'fix')).toBe('Add rightly\nfirst\n');
      expect(git(project, 'branch', '--show-current')).toBe('fix\n');
    });
  }));

test('who follows is told as well, and a turn that commits nothing tells nothing', () =>
  withAgent(async (agent) => {
    makeRepository(agent);
    const { server, hub, begin, say: ask, tree } = agent;
    const second = await hub.connect();
    const seen: AgentEvent[] = [];
    const stop = new AbortController();
    const following = second
      .stream('agent.follow', { tree }, { onEvent: (event) => void seen.push(event), signal: stop.signal })
      .catch(() => null);
    server.script(
      say(bash('c1', 'git commit -q --allow-empty -m one')),
      say(words('Done.')),
      say(bash('c2', 'git status')),
    );
    const turn = begin(await ask('go'));
    const { tip } = await turn.outcome;
    const next = begin(await ask('look', tip));
    await next.outcome;
    stop.abort();
    await following;
    expect(notesOf(turn)).toEqual(['1 commit from the model on main']);
    expect(notesOf({ events: seen })).toEqual(['1 commit from the model on main']);
    expect(notesOf(next)).toEqual([]);
  }));

test('what a killed turn left is told by the next, and by nobody again', () =>
  withAgent(async (agent) => {
    makeRepository(agent);
    const { server, project, begin, say: ask, client, hub } = agent;
    server.script(say(bash('c1', 'git commit -q --allow-empty -m one; echo x >.envrc; echo ready; sleep 1000')));
    const node = await ask('go');
    const turn = begin(node);
    await turn.event('call_output');
    await hub.kill();
    await turn.outcome.catch(() => null);
    expect(git(project, 'log', '--format=%s')).toBe('first\n');
    server.script(
      say(bash('c2', 'git log --format=%s')),
      say(words('Done.')),
      say(bash('c3', 'true')),
      say(words('Done.')),
    );
    const next = begin(await ask('look', node));
    const { tip } = await next.outcome;
    expect(notesOf(next)).toEqual([
      '1 commit from the model on main',
      'the model made or changed what runs as you: as you enter the folder: .envrc',
    ]);
    const last = begin(await ask('again', tip));
    await last.outcome;
    expect(notesOf(last)).toEqual([]);
    expect((await client.call('git.status', { project })).taken.map(({ text }) => text)).toEqual([
      '1 commit from the model on main',
    ]);
  }));

test('sub-sessions share the private folder, and the turn that started them tells', () =>
  withAgent(async (agent) => {
    makeRepository(agent);
    const { server, project, begin, say: ask } = agent;
    server.script(
      say(spawn('s1', { task: 'commit' })),
      say(bash('c1', 'git commit -q --allow-empty -m of-the-child')),
      say(words('Committed.')),
      say(words('Done.')),
    );
    const turn = begin(await ask('go'), { change: { model: 'anthropic/claude-sonnet-5', level: 'orchestrator' } });
    await turn.outcome;
    expect(notesOf(turn)).toEqual(['1 commit from the model on main']);
    expect(git(project, 'log', '--format=%s')).toBe('of-the-child\nfirst\n');
  }));

test('what was taken over is undone, and taken again', () =>
  withAgent(async (agent) => {
    makeRepository(agent);
    const { server, project, run, say: ask, client } = agent;
    server.script(say(bash('c1', 'echo "// new" >>sum.js; git commit -qam one')), say(words('Done.')));
    await run(await ask('go'));
    expect(await client.call('git.undo', { project })).toEqual({ text: 'undone: 1 commit from the model on main' });
    expect(git(project, 'log', '--format=%s')).toBe('first\n');
    expect(git(project, 'status', '--porcelain')).toBe(' M sum.js\n');
    expect((await client.call('git.status', { project })).kept.map(({ name }) => name)).toEqual([
      'refs/cognition/main',
    ]);
    await expect(client.call('git.undo', { project })).rejects.toMatchObject({ kind: 'not_found' });
    expect(await client.call('git.take', { project, branch: 'main' })).toEqual({ text: "taken: the model's main" });
    expect(git(project, 'log', '--format=%s')).toBe('one\nfirst\n');
    expect(git(project, 'status', '--porcelain')).toBe('');
  }));

test('the files are recorded before a turn changes them and after each step, and come back', () =>
  withAgent(async (agent) => {
    const { server, project, run, say: ask, client, tree, hub } = agent;
    writeFileSync(join(hub.home, 'config'), 'files.record = true\n');
    writeFileSync(join(project, 'a.txt'), 'of the person\n');
    server.script(
      say(call('c1', 'read', { path: 'a.txt' })),
      say(call('c2', 'write', { path: 'a.txt', content: 'first\n' })),
      say(call('c3', 'bash', { command: 'echo second > a.txt; echo new > b.txt' })),
      say(words('Done.')),
    );
    const message = await ask('go');
    const { tip } = await run(message);
    const steps = (await agent.path(tip)).filter(({ role }) => role === 'tool').map(({ id }) => id);
    const [looked = tip, first = message, second = message] = steps;
    const textAt = async (node: typeof message): Promise<string> => {
      await client.call('files.restore', { project, tree, node });
      return readFileSync(join(project, 'a.txt'), 'utf8') + (existsSync(join(project, 'b.txt')) ? '+b' : '');
    };
    expect(await textAt(message)).toBe('of the person\n');
    expect(await textAt(looked)).toBe('of the person\n');
    expect(await textAt(second)).toBe('second\n+b');
    expect(await textAt(first)).toBe('first\n');
    expect(await textAt(tip)).toBe('second\n+b');
  }));

test('what is committed in a folder beside the project is taken over, too', () =>
  withAgent(async (agent) => {
    makeRepository(agent);
    const { server, project, begin, say: ask } = agent;
    const other = join(dirname(project), 'other');
    mkdirSync(other);
    makeRepository({ ...agent, project: other });
    server.script(say(bash('c1', `cd ${other} && git commit -q --allow-empty -m beside`)), say(words('Done.')));
    const turn = begin(await ask('go'), { grants: { write_paths: [other] } });
    await turn.outcome;
    expect(notesOf(turn)).toEqual([`${other}: 1 commit from the model on main`]);
    expect(git(other, 'log', '--format=%s')).toBe('beside\nfirst\n');
  }));

test('a repository that a model makes is told of, and made when the person takes it', () =>
  withAgent(async ({ server, project, begin, say: ask, client }) => {
    server.script(
      say(bash('c1', 'git init -q -b main && echo x >n && git add n && git commit -qm own')),
      say(words('Done.')),
    );
    const turn = begin(await ask('go'));
    await turn.outcome;
    expect(notesOf(turn)).toEqual(['the model made a repository here, which you have not yet: cognition git take']);
    expect(existsSync(join(project, '.git'))).toBe(false);
    await client.call('git.take', { project });
    expect(git(project, 'log', '--format=%s')).toBe('own\n');
    expect(git(project, 'status', '--porcelain')).toBe('');
  }));

/** Serves a package with a program in it, over the loopback interface. */
async function withPackage(folder: string, use: (address: string) => Promise<void>): Promise<void> {
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package/package.json'), '{"name":"tool","version":"1.0.0","bin":"tool.js"}');
  writeFileSync(join(folder, 'package/tool.js'), '#!/usr/bin/env node\nconsole.log("tool works");\n', { mode: 0o755 });
  execFileSync('tar', ['-C', folder, '-czf', join(folder, 'tool.tgz'), 'package']);
  const server = createServer((_request, response) => response.end(readFileSync(join(folder, 'tool.tgz'))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/tool.tgz`);
  } finally {
    server.close();
  }
}
