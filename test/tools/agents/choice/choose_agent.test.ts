import { describe, expect, test } from 'vitest';
import { requireCarried } from '../../../../cli/turn/outside_agent.js';
import { HubError } from '../../../../hub/base/error.js';
import { PROVIDER_RECORDS } from '../../../../hub/base/provider_records.js';
import { AGENT_CLIS } from '../../../../tools/agents/all_clis.js';
import { chooseAgent } from '../../../../tools/agents/choice/choose_agent.js';
import { modelProblems, ownModels } from '../../../../tools/agents/choice/own_models.js';

const agents = AGENT_CLIS.map(({ name }) => `${name}`);
const choose = (name: string, own = '') => chooseAgent(name, { agents, own: ownModels(own).lines });

const CARRIED: readonly [string, string][] = [
  ['claude-sonnet-4-5', 'claude'],
  ['claude-opus-4-5-20251101', 'claude'],
  ...['gpt-5.2', 'gpt-5.2-pro', 'gpt-4.1', 'gpt-5.1-codex-max', 'o3', 'o4-mini'].map((model): [string, string] => [
    model,
    'codex',
  ]),
  ...['gemini-3-pro-preview', 'gemini-3-flash-preview'].map((model): [string, string] => [model, 'gemini']),
];

describe('the table of models', () => {
  test.each(CARRIED)('%s is carried by %s, which is told the model', (model, agent) => {
    expect(choose(model)).toEqual({ kind: 'carried', agent, model });
  });

  test('each agent of the table is one that this program speaks with', () => {
    expect(modelProblems(agents, [])).toEqual([]);
    expect(modelProblems(['claude'], [])).toHaveLength(2);
  });

  test('what a short name of the three makers stands for is in the table', () => {
    const makers = PROVIDER_RECORDS.filter(({ name }) => ['anthropic', 'openai', 'gemini'].includes(name));
    for (const [short, model] of makers.flatMap(({ aliases }) => Object.entries(aliases))) {
      if (agents.includes(short)) expect(choose(short)).toMatchObject({ kind: 'carried', agent: short, model: null });
      else expect(choose(short), short).toMatchObject({ kind: 'carried', model });
    }
  });
});

describe('a name', () => {
  test('of an agent means that agent with its own choice of a model', () => {
    for (const agent of agents) expect(choose(agent)).toEqual({ kind: 'carried', agent, model: null });
  });

  test('with an agent before a slash says both, but where that is a provider of ours', () => {
    expect(choose('opencode/anthropic/claude-opus-5')).toEqual({
      ...{ kind: 'carried', agent: 'opencode', model: 'anthropic/claude-opus-5' },
    });
    expect(choose('gemini/gemini-3.8-flash')).toMatchObject({ kind: 'not_carried', is_ours: true });
  });

  test('that is unknown, of a model that no agent carries, or of a deprecated one is refused in three ways', () => {
    const refusalOf = (name: string): HubError => {
      try {
        requireCarried(name, choose(name));
      } catch (error) {
        if (error instanceof HubError) return error;
      }
      throw new Error(`${name} was not refused`);
    };
    const [unknown, none, old] = ['claud-sonnet-5', 'o3-deep-research', 'claude-3-opus-20240229'].map(refusalOf);
    expect(unknown?.message).toBe('there is no agent and no model "claud-sonnet-5"');
    expect(JSON.stringify(unknown?.hint)).toContain('did you mean claude-sonnet-5?');
    expect(none?.message).toBe('no agent carries the model o3-deep-research');
    expect(old?.message).toBe('the model claude-3-opus-20240229 is deprecated');
    expect(old?.hint).toBe('take claude-opus-5-5 instead');
    expect([unknown, none, old].map((one) => one?.data.details.choice)).toEqual([
      'unknown',
      'not_carried',
      'deprecated',
    ]);
  });

  test.each([
    '',
    ' ',
    '../claude',
    'claude\0',
    '\u001b[31mclaude',
    '--evil',
    '__proto__',
    'constructor',
    'é'.repeat(400),
    '/',
    'claude/',
    'claude/--evil',
    'opencode/',
  ])('that is hostile, such as %j, is nobody’s', (name) => {
    expect(['unknown', 'not_carried']).toContain(choose(name).kind);
  });
});

describe('lines of the person', () => {
  test('count before the table, and may give a model another name', () => {
    const own = 'gpt-5.2=opencode:openai/gpt-5.2, mine = claude';
    expect(choose('gpt-5.2', own)).toEqual({ kind: 'carried', agent: 'opencode', model: 'openai/gpt-5.2' });
    expect(choose('mine', own)).toEqual({ kind: 'carried', agent: 'claude', model: 'mine' });
  });

  test('that nobody understands, or with an agent that there is not, are told and count for nothing', () => {
    const own = 'a=nobody, b, =claude, c=claude:--evil, o3=nobody';
    const { lines, problems } = ownModels(own);
    expect(problems).toHaveLength(3);
    expect(modelProblems(agents, lines)).toHaveLength(2);
    expect(choose('a', own)).toMatchObject({ kind: 'unknown' });
    expect(choose('o3', own)).toMatchObject({ kind: 'carried', agent: 'codex' });
  });
});
