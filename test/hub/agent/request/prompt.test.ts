import { describe, expect, test } from 'vitest';
import { newestSettings, promptOf, signingSettings } from '../../../../hub/agent/request/prompt.js';
import type { ModelMessage } from '../../../../hub/protocol/methods/context_methods.js';
import type { Block, Node } from '../../../../hub/protocol/node.js';
import { text } from '../../../support/trees.js';
import { commandNode, SETTINGS, settingsNamed, stepNodes, textNode } from '../paths.js';

const [ONE = null, TWO = null, OTHER = null] = [...SETTINGS.keys()];
const image: Block = {
  ...{ type: 'image', sha256: ONE ?? settingsHash(), media_type: 'image/png', width: 2, height: 2 },
};
const thought = (signature: string | null): Block => ({ type: 'thinking', text: 'hm', signature });
const call = (id: string): Block => ({ type: 'call', id, tool: 'bash', input: { command: 'ls' } });

function settingsHash(): never {
  throw new Error('there are settings');
}

function messagesOf(path: readonly Node[]): ModelMessage[] {
  return promptOf(path, settingsNamed(newestSettings(path))).messages;
}

describe('what a model is sent', () => {
  test('is one message with the calls and one with their results, for each step', () => {
    const step = stepNodes([thought('signed'), ...text('I look.'), call('a'), call('b')], ['a', 'b'], ONE);
    const path = [textNode('root', []), textNode('user', text('look')), ...step];
    expect(promptOf(path, settingsNamed(ONE))).toEqual({
      ...{ system_prompt: 'be brief', tools: [{ name: 'bash' }], left_out: 0 },
      messages: [
        { role: 'user', content: text('look') },
        { role: 'assistant', content: [thought('signed'), ...text('I look.'), call('a'), call('b')] },
        {
          role: 'user',
          content: [
            { type: 'result', id: 'a', content: text('did a'), failed: false },
            { type: 'result', id: 'b', content: text('did b'), failed: false },
          ],
        },
      ],
    });
  });

  test('holds a person’s command with its output, and says who ran it', () => {
    expect(messagesOf([commandNode('ls src', [...text('a.ts'), image])])).toEqual([
      { role: 'user', content: [...text('I ran bash: ls src'), ...text('a.ts'), image] },
    ]);
  });

  test('starts at the newest summary', () => {
    const path = [
      ...[textNode('root', []), textNode('user', text('old')), textNode('summary', text('first'))],
      ...[textNode('user', text('older')), textNode('summary', text('all that was')), textNode('user', text('new'))],
    ];
    expect(promptOf(path, settingsNamed(null))).toEqual({
      ...{ system_prompt: '', tools: [], left_out: 3 },
      messages: [
        { role: 'user', content: text('all that was') },
        { role: 'user', content: text('new') },
      ],
    });
  });

  test('leaves out calls that were not executed, and what has no words', () => {
    const step = stepNodes([...text(' \n'), ...text('I look.'), call('a'), call('b'), call('c')], ['b'], ONE);
    const path = [textNode('user', text('')), ...step, ...stepNodes([thought('signed')], [], ONE)];
    expect(messagesOf(path)).toEqual([
      { role: 'assistant', content: [...text('I look.'), call('b')] },
      { role: 'user', content: [{ type: 'result', id: 'b', content: text('did b'), failed: false }] },
    ]);
    expect(promptOf(path, settingsNamed(ONE)).left_out).toBe(2);
  });

  test('holds only calls and results that belong together, whatever a file that was imported says', () => {
    const [message, ...results] = stepNodes([...text('I look.'), call('a'), call('b')], ['b', 'a'], ONE);
    if (message === undefined) throw new Error('a step has a message');
    const sent = messagesOf([message, ...results]);
    expect(sent).toEqual([
      { role: 'assistant', content: [...text('I look.'), call('b')] },
      { role: 'user', content: [{ type: 'result', id: 'b', content: text('did b'), failed: false }] },
    ]);
    const twice = messagesOf(stepNodes([call('a'), call('a')], ['a', 'a'], ONE));
    expect(twice.map(({ content }) => content.length)).toEqual([2, 2]);
  });

  test('leaves out thinking that is unsigned, or was made with another model, system prompt or tools', () => {
    const said = (signature: string | null, settings: typeof ONE) =>
      textNode('assistant', [thought(signature), ...text('so')], settings);
    const path = [said('of one', ONE), said(null, ONE), said('of the other', OTHER), said('nobody’s', null)];
    const thoughts = (settings: typeof ONE) =>
      promptOf(path, settingsNamed(settings)).messages.map(({ content }) => content.length);
    expect(thoughts(ONE)).toEqual([2, 1, 1, 1]);
    // The same model with another system prompt.
    expect(thoughts(TWO)).toEqual([1, 1, 1, 1]);
    expect(thoughts(OTHER)).toEqual([1, 1, 2, 1]);
    expect(thoughts(null)).toEqual([1, 1, 1, 1]);
    expect(signingSettings(path)).toEqual([ONE, OTHER]);
  });

  test('tells failed calls from others', () => {
    const [message, result] = stepNodes([call('a')], ['a']);
    const ended = (exit_code: number | null, signal: string | null) => {
      if (message === undefined || result?.kind !== 'external') throw new Error('a step has a result');
      const part = messagesOf([message, { ...result, external: { ...result.external, exit_code, signal } }])[1]
        ?.content[0];
      return part?.type === 'result' ? part.failed : undefined;
    };
    expect([ended(0, null), ended(null, null), ended(1, null), ended(null, 'SIGKILL')]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(messagesOf(stepNodes([call('interrupted')], ['interrupted']))[1]?.content[0]).toMatchObject({
      failed: true,
    });
  });

  test('goes on with the settings of the newest message that names any', () => {
    const path = [textNode('assistant', text('a'), ONE), textNode('assistant', text('b'), TWO)];
    expect(newestSettings([...path, textNode('assistant', text('by hand')), textNode('user', text('c'))])).toBe(TWO);
    expect(newestSettings([textNode('user', text('c'))])).toBeNull();
  });
});
