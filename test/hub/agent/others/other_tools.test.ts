import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Part } from '../../../support/model/script.js';
import { say } from '../../../support/model/script.js';
import { type TestAgent, withAgent } from '../../../support/turns.js';
import { newestTurn, ownedBy, resultsOf } from '../sub_sessions/sub_session_turns.js';
import { call, words } from '../turn/turn_calls.js';

/** An agent whose models may have others work. */
function withOthers<T>(use: (agent: TestAgent) => Promise<T>): Promise<T> {
  return withAgent((agent) => {
    writeFileSync(join(agent.hub.home, 'config'), 'agents.for_models = true\n');
    return use(agent);
  });
}

const consult = (id: string, input: object): Part => call(id, 'consult_with', { model: 'demo', ...input });
const work = (id: string, input: object): Part => call(id, 'work_with', { agent: 'demo', ...input });

const sentTools = ({ server }: TestAgent, at = -1): string => JSON.stringify(server.requests.at(at)?.body.tools);

test('models have tools by which others work only when the person wants it, and no longer when that is taken back', () =>
  withAgent(async (agent) => {
    const { server, say: ask, run, hub } = agent;
    server.script(say(words('one')), say(words('two')), say(words('three')), say(words('four')));
    const first = await run(await ask('a'));
    expect(sentTools(agent)).not.toContain('work_with');
    writeFileSync(join(hub.home, 'config'), 'agents.for_models = true\n');
    const second = await run(await ask('b', first.tip), { change: null });
    expect(sentTools(agent)).toContain('work_with');
    const third = await run(await ask('c', second.tip), { change: { level: 'minimal' } });
    expect(sentTools(agent)).not.toContain('work_with');
    writeFileSync(join(hub.home, 'config'), '');
    await run(await ask('d', third.tip), { change: { level: 'orchestrator' } });
    expect(sentTools(agent)).not.toContain('work_with');
  }));

test('one who is consulted changes nothing, one who works does, and neither may have others work', () =>
  withOthers(async (agent) => {
    const { project } = agent;
    const { texts } = await resultsOf(agent, [
      consult('c1', { question: 'demo: run touch consulted.txt' }),
      work('c2', { task: 'demo: run touch worked.txt && echo yes' }),
    ]);
    expect(existsSync(join(project, 'consulted.txt'))).toBe(false);
    expect(existsSync(join(project, 'worked.txt'))).toBe(true);
    expect(texts[1]).toContain('yes');
    const owned = await ownedBy(agent);
    expect(owned).toHaveLength(2);
    for (const { id } of owned) {
      const settings = await agent.settingsAt((await newestTurn(agent, id)).tip);
      expect(JSON.stringify(settings.tools)).not.toMatch(/spawn_session|work_with|consult_with/);
    }
  }));

test('a session that is named goes on where it was, and is listed, described and found; the own one is refused', () =>
  withOthers(async (agent) => {
    const { tree } = agent;
    const [first] = (await resultsOf(agent, [consult('c1', { question: 'demo: say It is 42.', session_id: 'deep' })]))
      .texts;
    expect(first).toContain('It is 42.');
    expect(first).toContain('session_id: deep');
    const { texts } = await resultsOf(agent, [
      consult('c2', { question: 'demo: say And 43.', session_id: 'deep' }),
      consult('c3', { question: 'hello', session_id: tree }),
    ]);
    expect(texts[0]).toContain('And 43.');
    expect(texts[1]).toContain('is this conversation');
    const told = await resultsOf(agent, [
      call('c4', 'list_sessions', {}),
      call('c5', 'describe_session', { session_id: 'deep' }),
      call('c6', 'search_project_history', { query: '42' }),
      call('c7', 'count_project_tokens', {}),
    ]);
    expect(told.texts[0]).toContain('deep: demo: say It is 42. (4 messages');
    expect(told.texts[1]).toMatch(/It is 42\.[\s\S]*And 43\./);
    expect(told.texts[2]).toContain('42');
    expect(told.texts[3]).toMatch(/about \d+ tokens in \d+ files/);
  }));

test('several think in rounds, each told what the others said, and one puts it together', () =>
  withOthers(async (agent) => {
    const { texts } = await resultsOf(agent, [
      call('c1', 'group_think', { models: ['demo', 'demo', 'nobody/none'], question: 'demo: say Mine.', rounds: 2 }),
    ]);
    expect(texts[0]).toMatch(/put together by demo 1; nobody\/none gave up: /);
    const owned = await ownedBy(agent);
    expect(owned).toHaveLength(2);
    const { tip } = await newestTurn(agent, owned[0]?.id ?? agent.tree);
    const said = JSON.stringify(await agent.path(tip));
    expect(said).toContain('You are demo');
    expect(said).toContain('The others have answered');
  }));

test('an agent that shares its network with its commands is no way around a policy without one, and bad names are told', () =>
  withOthers(async (agent) => {
    const { texts } = await resultsOf(agent, [
      work('c1', { agent: 'claude', task: 'hello' }),
      work('c2', { agent: 'no such model', task: 'hello' }),
      work('c3', { agent: 'claude', task: 'hello', role: '../../x' }),
      consult('c4', { question: 'hello', session_id: 'a\nb' }),
    ]);
    expect(texts[0]).toContain('work_with was not run: claude has the network, and you have not');
    for (const text of texts) expect(text).toMatch(/not|no /);
    expect(await ownedBy(agent)).toEqual([]);
  }));

test('others who work are within the limits of the turn, and none begins once these are reached', () =>
  withOthers(async (agent) => {
    const { server, say: ask, run } = agent;
    server.script(
      say(work('c1', { task: 'demo: say one', agent: 'anthropic/claude-sonnet-5' })),
      say(words('x'.repeat(40))),
      say(words('end')),
    );
    const outcome = await run(await ask('go'), { limits: { tokens: 5 } });
    expect(outcome.why).toBe('tokens');
    expect(outcome.state).toBe('stopped');
  }));
