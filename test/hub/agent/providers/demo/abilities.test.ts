import { describe, expect, test } from 'vitest';
import { demoProvider } from '../../../../../hub/agent/providers/demo/demo_provider.js';
import { GO_ON } from '../../../../../hub/agent/request/unanswered_request.js';
import { definitionsFor } from '../../../../../hub/agent/tools/tool_definitions.js';
import type { ModelMessage } from '../../../../../hub/protocol/methods/context_methods.js';
import type { Level } from '../../../../../hub/protocol/turn.js';
import { manualTimers } from '../../../../support/manual_timers.js';
import { assistant, hear, REQUEST, result, user } from '../dialects.js';

/** Says a sentence to the demo model, and gives each of its calls the next result, until it has answered. */
async function talk(
  question: string,
  { level = 'orchestrator', systemPrompt = '' }: { level?: Level; systemPrompt?: string },
  results: readonly { text: string; failed: boolean }[],
) {
  const provider = demoProvider(manualTimers());
  const messages: ModelMessage[] = [user(question)];
  const left = [...results];
  const called: unknown[] = [];
  for (;;) {
    const request = { ...REQUEST, systemPrompt, tools: definitionsFor(level), messages: [...messages] };
    const { answer, failure } = await hear(provider, request);
    const calls = answer.blocks.flatMap((block) => (block.type === 'call' ? [block] : []));
    called.push(...calls.map(({ tool, input }) => [tool, input]));
    if (calls.length === 0) {
      const words = answer.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
      return { called, words, failure };
    }
    const content = calls.map(({ id }) => {
      const given = left.shift();
      return result(id, given?.text ?? '', given?.failed ?? false);
    });
    messages.push(assistant(...answer.blocks), { role: 'user', content });
  }
}

const worked = (words: string) => ({ text: words, failed: false });

describe('the demo model, asked for what a model can do,', () => {
  test('gives an answer that was interrupted once more', async () => {
    const messages = [user('help'), assistant({ type: 'text', text: 'I am the' }), user(GO_ON)];
    const { answer } = await hear(demoProvider(manualTimers()), { ...REQUEST, messages });
    expect(JSON.stringify(answer.blocks)).toContain('I am the demo model');
  });

  test('tells what it understands, and every sentence that it tells is understood', async () => {
    const { words } = await talk('help', {}, []);
    expect(words).toMatch(/^I am the demo model: no AI, only a few rules/);
    const sentences = [...words.matchAll(/^- `([^`]+)`/gm)].map(([, sentence = '']) => sentence);
    expect(sentences).toContain('write a program');
    for (const sentence of sentences.filter((one) => one !== 'tell me a story')) {
      const { words: answer } = await talk(sentence, { level: 'plan' }, []);
      expect(answer, sentence).not.toContain('I cannot answer that.');
    }
    expect((await talk('What can you do?', {}, [])).words).toBe(words);
  });

  test('writes a program and runs it, in two steps', async () => {
    const { called, words } = await talk('write a program', {}, [worked('made'), worked('Hello, tree!')]);
    expect(called).toEqual([
      ['write', { path: 'hello-demo.sh', content: expect.stringContaining("\necho 'Hello, tree!'\n") }],
      ['bash', { command: 'sh hello-demo.sh' }],
    ]);
    expect(words).toMatch(/^hello-demo\.sh is written, and says:\n\n```\nHello, tree!\n```/);
  });

  test('changes what it has written by an edit', async () => {
    const { called } = await talk('change the program', {}, [worked('edited'), worked('One line more.')]);
    expect(called[0]).toEqual([
      'edit',
      { path: 'hello-demo.sh', old_text: '#!/bin/sh\n', new_text: "#!/bin/sh\necho 'One line more.'\n" },
    ]);
  });

  test('tells a failed call as it is, and goes no further', async () => {
    const { called, words } = await talk('change the program', {}, [{ text: 'there is no such file', failed: true }]);
    expect(called).toHaveLength(1);
    expect(words).toMatch(/^That did not work \(edit\):\n\n```\nthere is no such file\n```/);
  });

  test('gives work to two sub-sessions at once', async () => {
    const { called, words } = await talk('use two sub-sessions', {}, [
      worked('I have counted:\n…'),
      worked('I found 2'),
    ]);
    expect(called).toEqual([
      ['spawn_session', { task: 'count slowly' }],
      ['spawn_session', { task: 'list the files' }],
    ]);
    expect(words).toContain('1. I have counted:\n2. I found 2');
  });

  test('says which tool it would need', async () => {
    expect((await talk('use two sub-sessions', { level: 'minimal' }, [])).words).toMatch(
      /^I have no spawn_session here, so I cannot do that\./,
    );
    expect((await talk('write a program', { level: 'readonly' }, [])).words).toMatch(/^I have no write here/);
  });

  test('asks, and makes a plan of the answer, which is then carried out', async () => {
    const answered = [worked("Salut'; reboot #"), worked('made')];
    const { called, words } = await talk('make a plan', { level: 'plan' }, answered);
    const content = '# Plan\n\n1. Write hello-demo.sh, which says: Salut   reboot\n2. Run it, to see that it does.\n';
    expect(called).toEqual([
      ['ask_user', { question: 'What shall the program say?', options: ['Hello!', 'Bonjour !', 'Guten Tag!'] }],
      ['write', { path: '.cognition/plan.md', content }],
    ]);
    expect(words).toContain('/execute');

    const systemPrompt = `You work.\n\n## Plan\n${content}`;
    const carried = await talk('Carry out the plan.', { systemPrompt }, [worked('made'), worked('Salut   reboot')]);
    expect(carried.called[0]).toMatchObject(['write', { content: expect.stringContaining("echo 'Salut   reboot'\n") }]);
  });

  test('says how to come into plan mode, where it is not', async () => {
    expect((await talk('make a plan', {}, [])).words).toMatch(/^I make plans in plan mode only\./);
  });

  test.each([
    ['fail', 'rejected'],
    ['fail overloaded', 'overloaded'],
    ['Fail.', 'rejected'],
  ])('%j is a failure', async (question, kind) => {
    expect((await talk(question, {}, [])).failure).toMatchObject({ kind });
  });

  test('tells a story word by word, at a pace at which one can follow', async () => {
    const pauses: number[] = [];
    const startTimer = (delayMs: number, fire: () => void) => {
      pauses.push(delayMs);
      queueMicrotask(fire);
      return () => undefined;
    };
    const provider = demoProvider({ nowMs: () => 0, startTimer });
    const { events, answer } = await hear(provider, { ...REQUEST, messages: [user('tell me a story')] });
    const pieces = events.filter(({ kind }) => kind === 'text');
    expect(new Set(pauses)).toEqual(new Set([25]));
    expect(pauses).toHaveLength(pieces.length);
    expect(answer.blocks.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(JSON.stringify(answer.blocks)).toContain('```typescript');
  });
});
