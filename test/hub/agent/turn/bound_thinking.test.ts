import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../../../hub/protocol/node.js';
import { randomFrom } from '../../../gauntlet/extent.js';
import { fail, type Part, say } from '../../../support/model/script.js';
import { KEY, type ModelServer } from '../../../support/model_server.js';
import { withAgent } from '../../../support/turns.js';
import { ask as askProvider, assistant, DIALECTS, user } from '../providers/dialects.js';
import { call, words } from './turn_calls.js';

const WALKS = 6;
const TURNS = 14;
const CLAUDE = 'anthropic/claude-opus-5-5';
const GPT = 'openai/gpt-5.6-sol';
const GEMINI = 'gemini/gemini-3.8-flash';

/** What stands in a request with thinking of its own; a placeholder is none. */
const SIGNED = /"(signature|encrypted_content)"|"thoughtSignature":"(?!skip_)/;

/** Every way in which what a model is sent before the messages changes, or may seem to. */
const CHANGES = [
  null,
  { model: CLAUDE },
  { model: GPT },
  { model: GEMINI },
  { model: 'gemini/gemini-2.5-flash' },
  { model: 'anthropic/claude-sonnet-5' },
  { level: 'readonly' },
  { level: 'plan' },
  { level: 'orchestrator' },
  { level: 'minimal' },
  { system_prompt: 'Be brief.' },
  { reload: true },
  { spawn: false },
  { thinking: 'high' },
  { thinking: 'off' },
  { thinking: 'auto' },
  { level: 'orchestrator', plan: 'First this, then that.' },
] as const;

function accessTo({ origin, openaiUrl }: ModelServer) {
  const own = { base_url: origin, key: KEY };
  return { anthropic: own, gemini: own, openai: { ...own, base_url: `${openaiUrl}/responses` } };
}

const thought = (text: string): Part => ({ kind: 'thinking', text });

describe('a branch goes on', () => {
  test.each(Array.from({ length: WALKS }, (_, seed) => [seed]))(
    'whatever changes on it, against servers that bind thinking to its request: walk %i',
    (seed) =>
      withAgent(async ({ say: ask, run, server }) => {
        const random = randomFrom(100 + seed);
        const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
        const tips: NodeId[] = [];
        const access = accessTo(server);
        let kept = 0;
        for (let turn = 0; turn < TURNS; turn += 1) {
          server.script(
            say(thought(`${seed} ${turn} look`), words('I look.'), call('c1', 'bash', { command: 'true' })),
            say(thought(`${seed} ${turn} done`), words(`Done ${turn}.`)),
          );
          const parent = random() < 0.8 ? tips.at(-1) : pick(tips);
          const change = turn === 0 ? { model: CLAUDE } : (pick(CHANGES) ?? null);
          const { tip, state, failure } = await run(await ask(`turn ${turn}`, parent), { change, access });
          expect([state, failure]).toEqual(['done', null]);
          kept += Number(SIGNED.test(server.requests.at(-2)?.text ?? ''));
          tips.push(tip);
        }
        expect(server.violations).toEqual([]);
        // Thinking is not merely left out: most turns change nothing before the messages.
        expect(kept).toBeGreaterThan(0);
      }),
  );

  test('with all of its thinking where nothing has changed, and again where that is set back', () =>
    withAgent(async ({ say: ask, run, server }) => {
      const access = accessTo(server);
      const thoughtsSent = () => server.requests.at(-1)?.text.match(/"type":"thinking","thinking"/g)?.length ?? 0;
      let tip: NodeId | undefined;
      const counts: number[] = [];
      const changes = [{ model: CLAUDE }, null, { level: 'plan' }, null, { level: 'orchestrator' }, null] as const;
      for (const [turn, change] of changes.entries()) {
        server.script(say(thought(`thought ${turn}`), words('Yes.')));
        tip = (await run(await ask('and?', tip), { change, access })).tip;
        counts.push(thoughtsSent());
      }
      expect(counts).toEqual([0, 1, 0, 1, 2, 3]);
    }));

  test.each([
    [
      CLAUDE,
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
      {},
    ],
    [GPT, 'The encrypted content gAAA... could not be verified.', { code: 'invalid_encrypted_content' }],
    [GEMINI, 'Corrupted thought signature.', {}],
  ])('of %s where another account cannot read what was thought, without it', (model, message, more) =>
    withAgent(async ({ say: ask, run, server }) => {
      const access = accessTo(server);
      server.script(say(thought('hm'), words('Yes.')));
      const { tip } = await run(await ask('one?'), { change: { model }, access });
      server.script(
        fail(400, message, more),
        say(thought('again'), call('c1', 'bash', { command: 'true' })),
        say(words('Also yes.')),
      );
      const turn = await run(await ask('two?', tip), { change: null, access });
      expect(turn).toMatchObject({ state: 'done', text: 'Also yes.' });
      const had = server.requests.map(({ text }) => SIGNED.test(text));
      expect(had).toEqual([false, true, false, false]);
    }),
  );
});

test('control: these servers refuse thinking behind another system prompt, other tools or another message', async () => {
  const [anthropic, openai] = DIALECTS;
  const gemini = DIALECTS.find(({ name }) => name === 'gemini');
  for (const dialect of [anthropic, openai, gemini]) {
    if (dialect === undefined) throw new Error('there is no dialect');
    await withAgent(async ({ server }) => {
      server.script(say(thought('hm'), words('Yes.')));
      const { answer } = await askProvider(dialect, server);
      const messages = [user('Hello?'), assistant(...answer.blocks), user('And?')];
      expect((await askProvider(dialect, server, { messages })).failure).toBeNull();
      const changed = [user('Hullo?'), ...messages.slice(1)];
      for (const naive of [{ messages, systemPrompt: 'Other.' }, { messages, tools: [] }, { messages: changed }]) {
        expect((await askProvider(dialect, server, naive)).failure?.details.reason).toBe('thinking');
      }
      expect(server.violations.splice(0)).toHaveLength(3);
    });
  }
});
