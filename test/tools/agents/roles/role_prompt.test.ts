import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HubError } from '../../../../hub/base/error.js';
import { RoleName } from '../../../../hub/protocol/outside_agent.js';
import { readRoleFile } from '../../../../tools/agents/roles/role_file.js';
import { promptFor } from '../../../../tools/agents/roles/role_prompt.js';
import { customRole, ROLES } from '../../../../tools/agents/roles/role_table.js';
import { withFolder } from '../../../support/hub.js';

test('each role says what it does, and how many minutes that may take', () => {
  const minutes = Object.fromEntries(Object.entries(ROLES).map(([name, role]) => [name, role.minutes]));
  expect(minutes).toEqual({
    ...{ engineer: 60, data_scientist: 60, devops: 40, security: 40 },
    ...{ architect: 30, pm: 30, documenter: 30, reviewer: 30 },
    ...{ default: 45, researcher: 45, qa: 45, ux_designer: 45, analyst: 45, tester: 45, planner: 45, codereviewer: 45 },
  });
  for (const [name, { instructions }] of Object.entries(ROLES)) expect(instructions.length, name).toBeGreaterThan(20);
});

test('the minutes of a role of one’s own follow from its words, looked at in order', () => {
  const minutes = (words: string): number => customRole(words).minutes;
  expect(minutes('You Design and implement things')).toBe(60);
  expect(minutes('an ARCHITECT')).toBe(60);
  expect(minutes('implement it')).toBe(120);
  expect(minutes('You read code')).toBe(120);
  expect(minutes('You think')).toBe(45);
});

test('a prompt says who the agent is, where its files go, how it tells others and how it ends', () =>
  withFolder(async (folder) => {
    const hub = { call: () => Promise.reject(new HubError('not_found', 'there is none')) };
    const machine = { userHome: folder, cognitionHome: folder, path: '/bin' };
    // Only the two that are read of what the tools have.
    const parts = { hub, machine } as unknown as Parameters<typeof promptFor>[0];
    const request = { project: folder, role_description: null };
    const named = (name: string) => promptFor(parts, { ...request, role: RoleName.parse(name) });
    const { instructions, minutes } = await named('engineer');
    for (const words of ['You work as engineer', 'COGNITION_WORKSPACE', 'COGNITION_MESSAGE_DIR', 'End with what']) {
      expect(instructions).toContain(words);
    }
    expect(minutes).toBe(60);
    expect(await promptFor(parts, { ...request, role: null })).toEqual({
      ...{ instructions: null, minutes: 30, tools: null },
    });
    await expect(named('nobody')).rejects.toThrow('there is no role "nobody"');
    mkdirSync(join(folder, 'roles'));
    writeFileSync(join(folder, 'roles', 'nobody.md'), 'Words of the person.');
    expect((await named('nobody')).instructions).toContain('Words of the person.');
  }));

test('a role’s file says which tools its holder has and how long it may take, and one that is not understood is told', () => {
  expect(readRoleFile('You water.')).toEqual({ instructions: 'You water.', tools: null, minutes: null });
  expect(readRoleFile('---\ntools: read, bash\nminutes: 20\n---\nYou water.\n')).toEqual({
    ...{ instructions: 'You water.\n', tools: ['read', 'bash'], minutes: 20 },
  });
  for (const front of ['tools: shovel', 'tools:', 'minutes: soon', 'minutes: 0', 'colour: red', 'tools']) {
    expect(readRoleFile(`---\n${front}\n---\nx`)).toHaveProperty('problem');
  }
});

test('a role in one’s own words runs commands only when these speak of code', () => {
  expect(customRole('You bind flowers').tools).toEqual(['read', 'write']);
  expect(customRole('You develop things').tools).toEqual(['read', 'write', 'bash']);
});
