import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TurnElsewhere } from '../../../hub/protocol/methods/live_methods.js';
import type { NodeId, TreeId } from '../../../hub/protocol/node.js';
import type { AgentEvent } from '../../../hub/protocol/turn.js';
import { hubEnded, type TestHub } from '../../support/hub.js';
import { say as answers, breaking } from '../../support/model/script.js';
import { type ModelServer, withModelServer } from '../../support/model_server.js';
import { accessTo, beginTurn, type TestTurn } from '../../support/turns.js';
import { asOwner } from '../../tools/postgres/database.js';
import { POSTGRES_BIN, startServer, type TestServer } from '../../tools/postgres/server.js';
import { ask, PLAN } from '../agent/tools/question_calls.js';
import { call, words } from '../agent/turn/turn_calls.js';
import { type Heard, hearFeed, hearLive, saysText } from './live_hubs.js';
import { remote, say, withLiveHubs } from './shared_trees.js';

const CHANGE = { model: 'anthropic/claude-sonnet-5' };

interface Parts {
  anna: TestHub;
  ben: TestHub;
  model: ModelServer;
  tree: TreeId;
  question: NodeId;
  project: string;
  /** A turn in Anna's hub. */
  begin(change?: object): TestTurn;
  /** The next state of a turn that Ben's hub tells of. */
  told(state: TurnElsewhere['state']): Promise<TurnElsewhere>;
}

const isTurn = (event: Awaited<ReturnType<Heard<object>['first']>>): event is TurnElsewhere =>
  'kind' in event && event.kind === 'turn_elsewhere';

describe.skipIf(POSTGRES_BIN === null)('a turn in a shared tree', { timeout: 120_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await asOwner(
      server,
      `CREATE ROLE cognition_reader NOLOGIN; CREATE ROLE cognition_writer NOLOGIN;
       CREATE ROLE eva LOGIN PASSWORD 'eva'; GRANT cognition_reader TO eva`,
    );
  });
  afterAll(() => server.stop());

  function withTurns(use: (parts: Parts) => Promise<void>, address = server.socket): Promise<void> {
    return withModelServer((model) =>
      withLiveHubs([server.socket, address], async (anna, ben) => {
        await anna.client.call('sharing.remote_init', { remote });
        const project = join(dirname(anna.home), 'project');
        mkdirSync(project);
        const { id: tree } = await anna.client.call('loom.tree_create', { project });
        const question = await say(anna, { tree }, 'go on');
        await anna.client.call('sharing.share', { remote, tree });
        await ben.client.call('sharing.sync', { remote, tree, sends: false });
        const live = hearLive(ben, tree);
        const begin = (change: object = CHANGE) =>
          beginTurn(anna.client, { tree, node: question, cwd: project, change, access: accessTo(model) });
        const told = async (state: TurnElsewhere['state']): Promise<TurnElsewhere> => {
          const event = await live.first((one) => isTurn(one) && one.state === state);
          if (!isTurn(event)) throw new Error('it is one of a turn');
          return event;
        };
        await use({ anna, ben, model, tree, project, question, begin, told });
      }),
    );
  }

  const text = (words: string) => [{ type: 'text' as const, text: words }];

  test('is seen from another hub, which says something to it and stops it', async () => {
    await withTurns(async ({ ben, anna, model, tree, question, begin, told }) => {
      model.script(breaking('hang', words('Let me think')));
      const [toBen, turn] = [hearFeed(ben), begin()];
      expect(await told('running')).toMatchObject({ turn: turn.id, tip: question, by: expect.stringContaining(' · ') });
      await model.hanging();
      const { turns } = await ben.client.call('agent.status', { tree });
      expect(turns).toMatchObject([{ turn: turn.id, model: 'anthropic/claude-sonnet-5' }]);
      const input = await ben.client.call('agent.steer', { turn: turn.id, blocks: text('and be brief') });
      expect(input).toMatchObject({ turn: turn.id, state: 'pending' });
      expect((await anna.client.call('loom.input_list', { turn: turn.id })).inputs).toMatchObject([{ id: input.id }]);
      expect(await ben.client.call('agent.stop', { turn: turn.id })).toMatchObject({
        ...{ stopped: true, outcome: { state: 'interrupted', why: 'asked' } },
      });
      expect(await turn.outcome).toMatchObject({ state: 'interrupted' });
      await told('ended');
      // What it said until then, and what was said to it, is everywhere.
      await toBen.first(saysText('Let me think'));
      await toBen.first(saysText('and be brief'));
      expect((await ben.client.call('agent.status', { tree })).turns).toEqual([]);
      await expect(ben.client.call('agent.stop', { turn: turn.id })).rejects.toMatchObject({ kind: 'not_found' });
    });
  });

  test('shows its steps as they are committed, and its question; who may run what is decided at its hub', async () => {
    await withTurns(async ({ ben, model, tree, begin, told }) => {
      model.script(answers(words('First.'), ask('c1', 'Which?', ['tea', 'coffee'])), answers(words('Tea.')));
      const turn = begin(PLAN);
      await turn.outcome;
      const waiting = await told('waiting');
      expect(waiting.questions).toMatchObject([{ call: 'c1', question: 'Which?', options: ['tea', 'coffee'] }]);
      expect((await ben.client.call('agent.status', { tree })).turns).toMatchObject([{ activity: 'asking' }]);
      // The key of its model is Anna's, and does not travel: her hub goes on with it.
      const heard: AgentEvent[] = [];
      const answer = { turn: turn.id, call: 'c1', answer: { option: 1 }, cwd: tmpdir() };
      const outcome = await ben.client.stream('agent.answer', answer, { onEvent: (event) => void heard.push(event) });
      expect(outcome).toMatchObject({ state: 'done', text: 'Tea.' });
      // What it has come to is here by then.
      const { node } = await ben.client.call('loom.node_get', { node: outcome.tip });
      expect(node).toMatchObject({ role: 'assistant', blocks: [{ type: 'text', text: 'Tea.' }] });
      expect((await told('ended')).end).toEqual({ state: 'done', why: 'answered' });
    });
  });

  test('is followed from another hub like one of its own, to how it ended', async () => {
    await withTurns(async ({ ben, model, tree, question, begin, told }) => {
      model.script(answers(words('First.'), call('c1', 'read', { path: 'no.txt' })), breaking('hang', words('Second')));
      const turn = begin();
      await told('running');
      const heard: AgentEvent[] = [];
      const onEvent = (event: AgentEvent): void => void heard.push(event);
      const followed = ben.client.stream('agent.follow', { turn: turn.id }, { onEvent });
      await model.hanging();
      await ben.client.call('agent.stop', { turn: turn.id });
      const { outcome } = await followed;
      expect(outcome).toMatchObject({ state: 'interrupted', why: 'asked', text: expect.stringContaining('Second') });
      expect(heard[0]).toMatchObject({ kind: 'turn_snapshot', tree, step: null });
      expect(heard.at(-1)).toMatchObject({ kind: 'turn_ended', outcome: { tip: outcome?.tip } });
      expect(outcome?.tip).not.toBe(question);
      await expect(ben.client.stream('agent.follow', { turn: turn.id }, { onEvent })).rejects.toMatchObject({
        kind: 'not_found',
      });
    });
  });

  test('is told as not known while the database is away, and as what it is when that is back', async () => {
    await withTurns(async ({ ben, model, tree, begin, told }) => {
      model.script(breaking('hang', words('Hm')));
      const turn = begin();
      await told('running');
      await model.hanging();
      await server.kill();
      expect(await told('away')).toMatchObject({ turn: turn.id, seen_at_ms: expect.any(Number) });
      const { turns } = await ben.client.call('agent.status', { tree });
      expect(turns).toMatchObject([{ turn: turn.id, seen_at_ms: expect.any(Number) }]);
      const steer = ben.client.call('agent.steer', { turn: turn.id, blocks: text('hear me') });
      await expect(steer).rejects.toMatchObject({ kind: 'network', data: { hint: /^nothing was said/ } });
      const back = hearLive(ben, tree);
      await server.restart();
      await back.first((one) => isTurn(one) && one.state === 'running');
      await ben.client.call('agent.stop', { turn: turn.id });
      expect(await turn.outcome).toMatchObject({ state: 'interrupted' });
    });
  });

  test('is not gone on with from elsewhere when its hub was started again since it asked and has no key', async () => {
    await withTurns(async ({ anna, ben, model, begin, told }) => {
      model.script(answers(words('First.'), ask('c1', 'Which?', ['tea', 'coffee'])), answers(words('Tea.')));
      const turn = begin(PLAN);
      await turn.outcome;
      await told('waiting');
      await anna.kill();
      // A call starts it again.
      await anna.client.call('sharing.list', {});
      const answer = ben.client.call('agent.answer', { turn: turn.id, call: 'c1', answer: 'tea', cwd: tmpdir() });
      await expect(answer).rejects.toMatchObject({
        kind: 'no_key',
        message: expect.stringContaining('answered there'),
      });
    });
  });

  test('is told as lost when its machine is gone, and anybody goes on from its last step', async () => {
    await withTurns(async ({ anna, ben, model, tree, question, project, begin, told }) => {
      model.script(breaking('hang', words('Let me')));
      const turn = begin();
      turn.outcome.catch(() => undefined); // its hub is killed
      await told('running');
      // Else the answer that hangs would be Ben's.
      await model.hanging();
      // It would start its hub again.
      await anna.client.close();
      await anna.kill();
      await asOwner(
        server,
        `UPDATE cognition.leases SET renewed_at = now() - interval '31 seconds'; SELECT pg_notify('cognition_turns', '${tree}')`,
      );
      expect(await told('lost')).toMatchObject({ turn: turn.id });
      await expect(ben.client.call('agent.stop', { turn: turn.id })).rejects.toMatchObject({ kind: 'not_found' });
      const own = beginTurn(ben.client, {
        tree,
        node: question,
        cwd: project,
        change: CHANGE,
        access: accessTo(model),
      });
      expect(await own.outcome).toMatchObject({ state: 'done' });
    });
  });

  test('is told as ended when its hub ends in order, with its last words; one that waits as lost until it is back', async () => {
    await withTurns(async ({ anna, ben, model, tree, begin, told }) => {
      model.script(breaking('hang', words('Let me')), answers(words('First.'), ask('c1', 'Which?', ['tea'])));
      const [toBen, turn] = [hearFeed(ben), begin()];
      turn.outcome.catch(() => undefined); // its hub ends
      await model.hanging();
      const asking = begin(PLAN);
      await asking.outcome;
      expect(await told('waiting')).toMatchObject({ turn: asking.id });
      const [pid, hasEnded] = [await anna.pid(), hubEnded(anna.home)];
      // It would start its hub again.
      await anna.client.close();
      process.kill(pid, 'SIGTERM');
      expect(await told('ended')).toMatchObject({
        ...{ turn: turn.id, end: { state: 'interrupted', why: 'hub_ended' } },
      });
      await toBen.first(saysText('Let me'));
      expect(await told('lost')).toMatchObject({ turn: asking.id });
      // Not because of the time.
      const silent = `SELECT 1 FROM cognition.leases WHERE tree = '${tree}' AND renewed_at < now() - interval '25 s'`;
      expect(await asOwner(server, silent)).toEqual([]);
      toBen.stop();
      await hasEnded;
      const back = hearLive(ben, tree);
      await (await anna.connect()).call('sharing.list', {});
      await back.first((one) => isTurn(one) && one.turn === asking.id && one.state === 'waiting');
      back.stop();
    });
  });

  test('is not to be told anything by who may only read', async () => {
    await withTurns(
      async ({ ben: eva, model, begin, told }) => {
        model.script(breaking('hang', words('Hm')));
        const turn = begin();
        turn.outcome.catch(() => undefined); // its hub is killed
        await told('running');
        const said = eva.client.call('agent.steer', { turn: turn.id, blocks: text('hear me') });
        await expect(said).rejects.toMatchObject({ kind: 'unauthorised' });
        await expect(eva.client.call('agent.stop', { turn: turn.id })).rejects.toMatchObject({ kind: 'unauthorised' });
      },
      server.loopback('eva', 'eva'),
    );
  });

  test('is not read where somebody has written more of it than a turn can have', async () => {
    await withTurns(async ({ ben, tree, question, told }) => {
      const [large, small] = [randomUUID(), randomUUID()];
      const lease = (turn: string, more: string): string => {
        const body = { turn, tree, node: question, tip: question, model: 'x', level: 'minimal', state: 'running' };
        const said = JSON.stringify({ ...body, started_at_ms: 1, questions: [] }).slice(0, -1);
        return `INSERT INTO cognition.leases VALUES ('${turn}', '${tree}', gen_random_uuid(), '${said}${more}}');`;
      };
      const padded = lease(large, `,"more":"' || repeat('x', 2000000) || '"`);
      await asOwner(server, `${padded} ${lease(small, '')} SELECT pg_notify('cognition_turns', '${tree}')`);
      expect(await told('running')).toMatchObject({ turn: small });
      const { turns } = await ben.client.call('agent.status', { tree });
      expect(turns.map(({ turn }) => turn)).toEqual([small]);
    });
  });
});
