import { expect, test } from 'vitest';
import type { ParamsOf } from '../../../../hub/protocol/methods/method_table.js';
import type { NodeId } from '../../../../hub/protocol/node.js';
import { say } from '../../../support/model/script.js';
import { withAgent } from '../../../support/turns.js';
import { words } from '../turn/turn_calls.js';

type Usual = ParamsOf<'agent.run'>['usual_thinking'];
type Change = ParamsOf<'agent.run'>['change'];

test('how much is thought follows what is said, then the path, then what the person lets the model', () =>
  withAgent(async ({ say: ask, run, settingsAt, server }) => {
    const usual: Usual = { '*': 'low', opus: 'max', 'no such model': 'high', 'anthropic/claude-haiku-4-5': 'off' };
    let tip: NodeId | undefined;
    const thinkingAfter = async (change: Change, usual_thinking: Usual = usual): Promise<unknown> => {
      server.script(say(words('Yes.')));
      tip = (await run(await ask('and?', tip), { change, usual_thinking })).tip;
      return (await settingsAt(tip)).thinking;
    };
    expect(await thinkingAfter({ model: 'sonnet' })).toBe('low');
    // The path has it, whatever the preferences say meanwhile.
    expect(await thinkingAfter(null, { '*': 'high', sonnet: 'max' })).toBe('low');
    expect(await thinkingAfter({ model: 'opus' })).toBe('max');
    expect(await thinkingAfter({ model: 'haiku' })).toBe('off');
    expect(await thinkingAfter({ model: 'sonnet' })).toBe('off');
    expect(await thinkingAfter({ model: 'opus', thinking: 'medium' })).toBe('medium');
    expect(await thinkingAfter({ level: 'readonly' })).toBe('medium');
    tip = undefined;
    // Nothing is said at a new root: the tree goes on as it began.
    expect(await thinkingAfter(null, {})).toBe('low');
  }));

test('a first turn thinks as its makers recommend, and settings of old trees stay as they are', () =>
  withAgent(async ({ client, say: ask, run, settingsAt, server, tree }) => {
    server.script(say(words('Yes.')));
    const { tip } = await run(await ask('one?'));
    const first = await settingsAt(tip);
    expect(first.thinking).toBe('auto');
    expect(server.requests.at(-1)?.body.thinking).toEqual({ type: 'adaptive', display: 'summarized' });
    // As a program of before wrote them.
    const { sha256 } = await client.call('loom.settings_put', { settings: { ...first, thinking: 'off' } });
    const { node } = await client.call('loom.node_create_text', {
      ...{ tree, parent: tip, role: 'assistant', blocks: [{ type: 'text', text: 'Of old.' }], settings: sha256 },
    });
    const old = await run(await ask('two?', node.id), { change: null });
    expect((await settingsAt(old.tip)).thinking).toBe('off');
    expect(server.requests.at(-1)?.body.thinking).toEqual({ type: 'disabled' });
  }));
