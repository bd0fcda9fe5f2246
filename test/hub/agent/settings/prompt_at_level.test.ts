import { expect, test } from 'vitest';
import { promptAtLevel, systemPromptFor } from '../../../../hub/agent/settings/system_prompts.js';
import { Level } from '../../../../hub/protocol/turn.js';

const REST = '\n\n# Instructions from /p/AGENTS.md\n\n- Use tabs.\n\n# Environment\n\nDate: 2026-11-19';
/** As another version began. */
const OLD = 'You are cognition, an agent in a terminal. You did things.\n\n- Look.\n- Do what was asked.';

test('a prompt has the beginning of its level, whichever version made it, and keeps the rest', () => {
  for (const before of Level.options) {
    expect(promptAtLevel(OLD + REST, { before, level: before })).toBe(OLD + REST);
    for (const level of Level.options) {
      const prompt = systemPromptFor(before) + REST;
      expect(promptAtLevel(prompt, { before, level })).toBe(systemPromptFor(level) + REST);
      if (level !== before) expect(promptAtLevel(OLD + REST, { before, level })).toBe(systemPromptFor(level) + REST);
    }
  }
});

test('a custom prompt gains the section on plans and loses it again, also one of another version', () => {
  const custom = 'You are a pirate.\n\n- Say arr.';
  const planning = promptAtLevel(custom, { before: 'minimal', level: 'plan' });
  expect(planning).toBe(`${custom}\n\n${systemPromptFor('plan')}`);
  expect(promptAtLevel(planning, { before: 'plan', level: 'minimal' })).toBe(custom);
  expect(promptAtLevel(`${custom}\n\n${OLD}`, { before: 'plan', level: 'readonly' })).toBe(custom);
  for (const prompt of [custom, `${custom}\n\n${OLD}\n\nAnd more.`, '']) {
    expect(promptAtLevel(prompt, { before: 'plan', level: 'minimal' })).toBe(prompt);
  }
});
