import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FLOOD_BYTES } from '../../support/agents/stand_in.mjs';
import { withAgents } from './exchanges.js';

describe.each(['claude', 'codex'])('%s', (agent) => {
  test('answers what was said, and what it did is a node with its session', () =>
    withAgents(async ({ root, client, exchange, project }) => {
      const { text, session, node, fault, id } = await exchange(agent, [root, 'good morning']);
      expect({ text, fault }).toEqual({ text: 'heard: good morning', fault: null });
      expect(node?.kind === 'external' && node.external).toMatchObject({
        call: { tool: agent, input: { task: 'good morning' }, id: null },
        handle: { source: 'agent', identifier: `${agent}/${session}`, metadata: { agent, session, cwd: project } },
        exit_code: 0,
      });
      const { text: run } = await client.call('context.resolve', { node: id });
      expect(run).toContain('heard: good morning');
    }));

  test('goes on in its session where that ends, and knows what was said', () =>
    withAgents(async ({ root, exchange }) => {
      const first = await exchange(agent, [root, 'one']);
      const second = await exchange(agent, [first.tip, 'two']);
      expect(second.session).toBe(first.session);
      expect(second.text).toBe('heard: one | <heard: one> | two');
    }));

  test('goes on in a copy of its session at an earlier position, and the first branch is as it was', () =>
    withAgents(async ({ root, exchange }) => {
      const first = await exchange(agent, [root, 'one']);
      const second = await exchange(agent, [first.tip, 'two']);
      const other = await exchange(agent, [first.tip, 'otherwise']);
      expect(other.session).not.toBe(first.session);
      expect(other.text).toBe('heard: one | <heard: one> | otherwise');
      const third = await exchange(agent, [second.tip, 'three']);
      expect(third.session).toBe(first.session);
      expect(third.text).toMatch(/^heard: one \| .* \| two \| .* \| three$/);
    }));

  test('knows what another said meanwhile', () =>
    withAgents(async ({ root, exchange }) => {
      const other = agent === 'claude' ? 'codex' : 'claude';
      const first = await exchange(agent, [root, 'one']);
      const second = await exchange(other, [first.tip, 'two']);
      const third = await exchange(agent, [second.tip, 'three']);
      for (const said of ['one', 'two', 'three']) expect(third.text).toContain(said);
      expect(third.session).not.toBe(first.session);
    }));

  test('calls tools in the project, and each call is told with its result', () =>
    withAgents(async ({ root, exchange, project }) => {
      const { events, text, node } = await exchange(agent, [root, '[[tool:touch made.txt && echo done]]']);
      expect(existsSync(join(project, 'made.txt'))).toBe(true);
      expect(text).toBe('tool said: done\n');
      const kinds = events.map(({ kind }) => kind).filter((kind) => kind.startsWith('call_'));
      expect(kinds).toEqual(['call_started', 'call_ended']);
      expect(node?.blocks).toMatchObject([{ text: expect.stringMatching(/touch made\.txt[\s\S]*done/) }]);
    }));

  test('changes nothing outside of the project, and nothing at all where it may only read', () =>
    withAgents(async ({ root, exchange, project, home }) => {
      const outside = join(home, '..', 'outside.txt');
      await exchange(agent, [root, `[[tool:touch ${outside}; ls ${home}]]`]);
      expect(existsSync(outside)).toBe(false);
      const policy = { kind: 'contained' as const, network: false, writable: [], readable: [project] };
      const { text } = await exchange(agent, [root, '[[tool:touch made.txt]]'], { policy, level: 'readonly' });
      expect(text).toContain('Read-only file system');
      expect(existsSync(join(project, 'made.txt'))).toBe(false);
    }));

  test('a refusal of its model that stands in an answer is a fault', () =>
    withAgents(async ({ root, exchange }) => {
      const { fault, text, node } = await exchange(agent, [root, '[[429]]']);
      expect(fault).toMatchObject({ kind: 'rate_limited', retryable: true });
      expect(text).toBe('');
      expect(node).toMatchObject({ external: { exit_code: 1, handle: { metadata: { fault: 'rate_limited' } } } });
    }));

  test('an answer without a word is a fault', () =>
    withAgents(async ({ root, exchange }) => {
      expect((await exchange(agent, [root, '[[empty]]'])).fault).toMatchObject({ kind: 'empty' });
    }));

  test('one that is cancelled ends, and hears the next message', () =>
    withAgents(async ({ root, exchange, client }) => {
      const abort = new AbortController();
      const hanging = exchange(agent, [root, '[[hang]]'], {
        signal: abort.signal,
        onEvent: (event) => event.kind === 'opened' && abort.abort(),
      });
      await expect(hanging).rejects.toMatchObject({ kind: 'cancelled' });
      const { running } = await client.call('outside.list', {});
      expect(running.filter(({ isBusy }) => isBusy).length).toBeLessThanOrEqual(1);
      expect((await exchange(agent, [root, 'and now?'])).text).toBe('heard: and now?');
    }));

  test('what was said in a stopped exchange is not in the branch beside it, even when that begins at once', () =>
    withAgents(async ({ root, exchange }) => {
      const first = await exchange(agent, [root, 'one']);
      const abort = new AbortController();
      const hanging = exchange(agent, [first.tip, '[[hang]]'], {
        ...{ signal: abort.signal, turns_max: 7 },
        onEvent: (event) => event.kind === 'opened' && abort.abort(),
      });
      await expect(hanging).rejects.toMatchObject({ kind: 'cancelled' });
      const next = await exchange(agent, [first.tip, 'two'], { turns_max: 7 });
      expect(next.fault).toBeNull();
      expect(next.text).toMatch(/^heard: one \| .*\| two$/);
      expect(next.text).not.toContain('hang');
    }));

  test('one that says nothing for too long, or takes too long, is ended, and says so', () =>
    withAgents(async ({ root, exchange }) => {
      expect((await exchange(agent, [root, '[[hang]]'], { idle_ms: 1_500 })).fault).toMatchObject({ kind: 'idle' });
      expect((await exchange(agent, [root, '[[hang]]'], { time_ms: 1_500 })).fault).toMatchObject({ kind: 'timeout' });
    }));

  test('one whose process is killed says so, and the next message begins anew with what was said', () =>
    withAgents(async ({ root, exchange }) => {
      const first = await exchange(agent, [root, 'one']);
      const killed = await exchange(agent, [first.tip, '[[die]]']);
      expect(killed.fault).toMatchObject({ kind: 'killed' });
      const next = await exchange(agent, [killed.tip, 'three']);
      expect(next.fault).toBeNull();
      expect(next.text).toMatch(/one[\s\S]*three/);
    }));

  test('one that floods is heard to its end, and no more of it is kept than there is room for', () =>
    withAgents(async ({ root, exchange }) => {
      const { fault, node, events } = await exchange(agent, [root, '[[flood]]'], { time_ms: 120_000 });
      expect(fault).toBeNull();
      const output = node?.kind === 'external' ? node.external.output : null;
      expect(output?.size_bytes).toBeLessThanOrEqual(10_000_000);
      expect(output?.size_bytes).toBeGreaterThan(5_000_000);
      expect(FLOOD_BYTES).toBeGreaterThan(10_000_000);
      expect(events).toContainEqual({ kind: 'noted', text: 'it says more than is kept of it' });
    }));

  test('a session that it has lost is told anew', () =>
    withAgents(async ({ root, exchange, home }) => {
      const first = await exchange(agent, [root, 'one']);
      const { rmSync } = await import('node:fs');
      rmSync(join(home, 'agents', agent, 'home', '.stand-in'), { recursive: true });
      const other = await exchange(agent, [first.tip, 'two'], { level: 'readonly' });
      expect(other.fault).toBeNull();
      expect(other.text).toMatch(/one[\s\S]*two/);
    }));
});

test('an agent that asks before each call is answered at level ask: allowed, changed by nobody, or refused', () =>
  withAgents(async ({ root, exchange, client, project }) => {
    for (const agent of ['claude', 'codex']) {
      for (const allow of [true, false]) {
        const answered: unknown[] = [];
        const { text, fault, id } = await exchange(agent, [root, '[[tool:echo made > asked.txt; echo done]]'], {
          level: 'ask',
          onEvent(event) {
            if (event.kind === 'asked') answered.push(event.text);
            // The id of the exchange is known only to who began it: it is listed, too.
            if (event.kind === 'asked') void answer(event.question);
          },
        });
        async function answer(question: string): Promise<void> {
          const { running } = await client.call('outside.list', {});
          const [one] = running;
          if (one !== undefined) await client.call('outside.answer', { id: one.id, question, allow, words: 'not now' });
        }
        expect(answered).toHaveLength(1);
        expect(fault).toBeNull();
        expect(text.includes('done')).toBe(allow);
        expect(id).toBeDefined();
      }
    }
    expect(readFileSync(join(project, 'asked.txt'), 'utf8')).toBe('made\n');
  }));

test('claude answers in another session than it was asked to: a fault, and the next message is told all', () =>
  withAgents(async ({ root, exchange }) => {
    const first = await exchange('claude', [root, 'one']);
    const second = await exchange('claude', [first.tip, '[[other]]']);
    expect(second.fault).toMatchObject({ kind: 'session_switched' });
    const third = await exchange('claude', [second.tip, 'three']);
    expect(third.text).toMatch(/one[\s\S]*three/);
  }));

test('claude stops in the middle of a line, and is told as what it is', () =>
  withAgents(async ({ root, exchange }) => {
    const { fault, text } = await exchange('claude', [root, '[[half]]']);
    expect(fault?.kind).toBe('failed');
    expect(text).toBe('');
  }));

test('lines that are no JSON are told, and the answer is heard', () =>
  withAgents(async ({ root, exchange }) => {
    const { events, text } = await exchange('claude', [root, '[[noise]]']);
    expect(text).toBe('heard: [[noise]]');
    expect(events).toContainEqual({ kind: 'noted', text: 'this is no JSON' });
  }));

test('a result that comes after the end is nobody’s answer', () =>
  withAgents(async ({ root, exchange }) => {
    const first = await exchange('claude', [root, '[[twice]]']);
    expect(first.text).toBe('heard: [[twice]]');
    const second = await exchange('claude', [first.tip, 'two']);
    expect(second.text).toContain('| two');
  }));

test('hostile names of agents, models, roles and sessions are refused before anything is done', () =>
  withAgents(async ({ root, exchange, home }) => {
    const hostile = ['../../x', 'a/b', '-rf', '\u001b[2Jx', `a${'b'.repeat(4_096)}`, 'a\nb', '', '$(touch x)'];
    for (const name of hostile) {
      await expect(exchange(name, [root, 'hello'])).rejects.toMatchObject({ kind: 'invalid_params' });
      if (name !== 'a/b')
        await expect(exchange('claude', [root, 'hello'], { model: name })).rejects.toMatchObject({
          kind: 'invalid_params',
        });
      await expect(exchange('claude', [root, 'hello'], { role: name })).rejects.toMatchObject({
        kind: 'invalid_params',
      });
    }
    expect(existsSync(join(home, 'agents', 'claude'))).toBe(false);
  }));

test('a key reaches the agent that it is for, and no other variable does', () =>
  withAgents(async ({ root, exchange, bin }) => {
    const { pathWith } = await import('../../support/agents/agent_bin.js');
    const environment = { PATH: pathWith(bin), ANTHROPIC_API_KEY: 'sk-one', OPENAI_API_KEY: 'sk-two', OTHER: 'x' };
    const { text } = await exchange('claude', [root, '[[tool:env]]'], { environment });
    expect(text).toContain('ANTHROPIC_API_KEY=sk-one');
    expect(text).toContain('COGNITION_AGENT_ROLE=default');
    expect(text).not.toMatch(/sk-two|OTHER=/);
  }));

test('an agent is told by its environment where it works, with whom and for how long', () =>
  withAgents(async ({ root, exchange, tree, project }) => {
    const role_description = 'You look at things.';
    const { text } = await exchange('claude', [root, '[[tool:env]]'], { role_description, time_ms: 90_000 });
    expect(text).toContain(`COGNITION_SESSION_ID=${tree}`);
    expect(text).toContain(`COGNITION_PROJECT_ROOT=${project}`);
    expect(text).toContain(`COGNITION_AGENT_ROLE_DESC=${role_description}`);
    for (const line of ['AGENT_ID=claude', 'AGENT_ROLE=default', 'AGENT_INSTANCE=1', 'TIMEOUT_MINUTES=2']) {
      expect(text).toContain(`COGNITION_${line}`);
    }
    for (const folder of ['WORKSPACE', 'SHARED_CONTEXT', 'MESSAGE_DIR']) {
      expect(text).toMatch(new RegExp(`COGNITION_${folder}=/\\S+`));
    }
  }));

test('several of one role work in a conversation at once, each in a folder of its own that tells what it does', () =>
  withAgents(async ({ root, exchange, home, tree, project }) => {
    const abort = new AbortController();
    let opened = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const role = 'reviewer';
    const hanging = exchange('claude', [root, '[[hang]]'], {
      ...{ role, signal: abort.signal },
      onEvent: (event) => event.kind === 'opened' && opened(),
    });
    await isOpen;
    const told = await exchange('claude', [root, '[[tool:env]]'], { role });
    abort.abort();
    await expect(hanging).rejects.toMatchObject({ kind: 'cancelled' });
    for (const line of ['AGENT_ID=claude-reviewer-2', 'AGENT_INSTANCE=2', 'AGENT_ROLE=reviewer']) {
      expect(told.text).toContain(`COGNITION_${line}`);
    }
    const digest = createHash('sha256').update(project).digest('hex');
    const agents = join(home, 'projects', digest, 'sessions', tree, 'agents');
    const info = JSON.parse(readFileSync(join(agents, 'claude-reviewer-2', 'info.json'), 'utf8'));
    expect(info).toMatchObject({
      ...{ id: 'claude-reviewer-2', agent: 'claude', role, instance: 2, task: '[[tool:env]]', tree, project },
      ...{ state: 'done', session: told.session, node: told.id, fault: null },
    });
    const lines = readFileSync(join(agents, 'claude-reviewer-2', 'messages.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).from)).toEqual(['person', 'claude-reviewer-2']);
    expect(readdirSync(join(agents, 'claude-reviewer-2')).sort()).toEqual([
      ...['info.json', 'messages.jsonl', 'stderr.log', 'stdout.log', 'workspace'],
    ]);
    expect(readdirSync(agents).sort()).toEqual(['claude-reviewer', 'claude-reviewer-2']);
  }));
