import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCli } from '../../../support/cli.js';
import { withEditor } from '../../../support/editor.js';

test('a branch is made with /fork, listed with /branches, and gone to with /switch', () =>
  withCli((cli) =>
    withEditor(cli, {}, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await editor.say(sessionId, 'demo: say first');
      editor.answer();
      await editor.say(sessionId, '/fork');
      expect(editor.answer()).toContain('Your next message is an alternative to');
      await editor.say(sessionId, 'demo: say second');
      editor.answer();
      await editor.say(sessionId, '/back 2');
      await editor.say(sessionId, '/branches');
      expect(editor.answer()).toMatch(/demo: say second[\s\S]*demo: say first/);
      await editor.say(sessionId, '/switch 2');
      editor.answer();
      await editor.say(sessionId, '/tree');
      expect(editor.answer()).toMatch(/demo: say second[\s\S]*demo: say first/);
      expect(await cli.print('branches', sessionId)).toContain('2');
      expect(editor.violations).toEqual([]);
    }),
  ));

test('wrong commands are answered with a hint, and those of a terminal are refused', () =>
  withCli((cli) =>
    withEditor(cli, {}, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await editor.say(sessionId, '/brunches');
      expect(editor.answer()).toContain('did you mean /branches?');
      await editor.say(sessionId, '/switch nowhere');
      expect(editor.answer()).toContain('no node "nowhere"');
      await expect(editor.say(sessionId, '/quit')).rejects.toMatchObject({ code: -32602 });
    }),
  ));

test('a session is listed, loaded with all that was said by the ids of its nodes, and resumed without', () =>
  withCli(async (cli) => {
    let sessionId = '';
    await withEditor(cli, {}, async (editor) => {
      sessionId = await editor.begin(cli.folder);
      await editor.say(sessionId, 'demo: say I look.\ndemo: run echo tree');
    });
    await withEditor(cli, {}, async (editor) => {
      const { agent } = editor;
      const { sessions } = await agent.request('session/list', { cwd: cli.folder });
      expect(sessions).toMatchObject([{ sessionId, cwd: cli.folder, title: 'demo: say I look. demo: run echo tree' }]);
      const loaded = await agent.request('session/load', { sessionId, cwd: cli.folder, mcpServers: [] });
      expect(loaded).toMatchObject({ modes: { currentModeId: 'orchestrator' } });
      const kinds = editor.updates.map(({ update }) => update.sessionUpdate);
      expect(kinds).toEqual([
        'available_commands_update',
        ...['user_message_chunk', 'agent_message_chunk', 'tool_call', 'tool_call_update', 'agent_message_chunk'],
      ]);
      const ids = editor.updates.flatMap(({ update }) => ('messageId' in update ? [update.messageId ?? ''] : []));
      const shown = await cli.print('show', sessionId, '--ids', '--all');
      for (const id of ids) expect(shown).toContain(id.slice(0, 8));
      editor.answer();
      await editor.say(sessionId, 'demo: say more');
      expect(editor.answer()).toBe('more');
      expect(editor.violations).toEqual([]);
    });
    await withEditor(cli, {}, async (editor) => {
      await editor.agent.request('session/resume', { sessionId, cwd: cli.folder, mcpServers: [] });
      expect(editor.answer()).toBe('');
      await editor.say(sessionId, 'demo: say and more');
      expect(await cli.print('context', sessionId)).toMatch(/I look\.[\s\S]*and more/);
    });
  }));

test('a fork is another position in the same tree', () =>
  withCli((cli) =>
    withEditor(cli, {}, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await editor.say(sessionId, 'demo: say first');
      const fork = () =>
        editor.agent.request<{ sessionId: string }>('session/fork', { sessionId, cwd: cli.folder, mcpServers: [] });
      const [one, other] = [await fork(), await fork()];
      expect(new Set([sessionId, one.sessionId, other.sessionId]).size).toBe(3);
      await editor.say(one.sessionId, 'demo: say left');
      await editor.say(other.sessionId, 'demo: say right');
      await editor.say(sessionId, 'demo: say straight');
      expect(await cli.print('branches', sessionId)).toContain('3');
      const ends = await cli.print('leaves', sessionId);
      for (const end of ['left', 'right', 'straight']) expect(ends).toContain(end);
      expect(await cli.print('context', sessionId)).toContain('straight');
      expect(editor.violations).toEqual([]);
    }),
  ));

test('level, model, thinking and network are chosen, and hold for the next turn', () =>
  withCli((cli) =>
    withEditor(cli, {}, async (editor) => {
      const { agent } = editor;
      const sessionId = await editor.begin(cli.folder);
      await agent.request('session/set_mode', { sessionId, modeId: 'readonly' });
      const set = (configId: string, value: string) =>
        agent.request('session/set_config_option', { sessionId, configId, value });
      await set('thinking', 'low');
      const { configOptions } = await set('network', 'on');
      const values = Object.fromEntries(configOptions.map((one) => [one.id, one.currentValue]));
      expect(values).toEqual({ mode: 'readonly', model: 'demo/demo', thinking: 'low', network: 'on' });
      await editor.say(sessionId, 'demo: say hello');
      const told = JSON.stringify(await cli.json('context', sessionId, '--model'));
      expect(told).toContain('You can only look');
      for (const [id, value] of [
        ['mode', 'root'],
        ['thinking', 'very'],
        ['network', 'maybe'],
        ['model', 'no/such'],
        ['colour', 'red'],
      ]) {
        await expect(set(id ?? '', value ?? '')).rejects.toMatchObject({ code: expect.any(Number) });
      }
      await editor.say(sessionId, '/level minimal');
      const update = await editor.told((one) => one.sessionUpdate === 'current_mode_update');
      expect(update).toMatchObject({ currentModeId: 'minimal' });
      expect(editor.violations).toEqual([]);
    }),
  ));

test('a closed session is not known any more, and a deleted one is archived', () =>
  withCli((cli) =>
    withEditor(cli, {}, async (editor) => {
      const { agent } = editor;
      const sessionId = await editor.begin(cli.folder);
      await editor.say(sessionId, 'demo: say hello');
      await agent.request('session/close', { sessionId });
      await expect(editor.say(sessionId, 'again')).rejects.toMatchObject({ code: -32002 });
      await agent.request('session/delete', { sessionId });
      expect((await agent.request('session/list', {})).sessions).toEqual([]);
      expect(await cli.print('list', '--archived')).toContain('demo: say hello');
      expect(editor.violations).toEqual([]);
    }),
  ));

test('sessions of other folders and unknown ones are told apart', () =>
  withCli((cli) =>
    withEditor(cli, {}, async (editor) => {
      const { agent } = editor;
      const other = join(cli.folder, 'other');
      mkdirSync(other);
      const here = await editor.begin(cli.folder);
      const there = await editor.begin(other);
      await editor.say(here, 'demo: run pwd');
      await editor.say(there, 'demo: run pwd');
      const { sessions } = await agent.request('session/list', { cwd: other });
      expect(sessions.map(({ sessionId }) => sessionId)).toEqual([there]);
      const shown = editor.updates
        .filter(({ sessionId }) => sessionId === there)
        .map(({ update }) => JSON.stringify(update));
      expect(shown.join('')).toContain(other);
      for (const sessionId of ['', '../../etc/passwd', `${here}.${here}`, `${here}.x.1`, 'x'.repeat(4_096), '\u0000']) {
        await expect(editor.say(sessionId, 'hello')).rejects.toMatchObject({ code: -32002 });
        const load = agent.request('session/load', { sessionId, cwd: other, mcpServers: [] });
        await expect(load).rejects.toMatchObject({ code: -32002 });
      }
      for (const cwd of ['/no/such/folder', 'relative', '\u0000'])
        await expect(editor.begin(cwd)).rejects.toMatchObject({ code: expect.any(Number) });
    }),
  ));

test('what another terminal says appears in the editor', () =>
  withCli((cli) =>
    withEditor(cli, {}, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await editor.say(sessionId, 'demo: say hello');
      await cli.run(['ask', sessionId, 'demo: say from elsewhere', '--model', 'demo']);
      const told = await editor.told((one) => JSON.stringify(one).includes('from elsewhere'));
      expect(told.sessionUpdate).toBe('user_message_chunk');
    }),
  ));

test('the end of its input ends it, and garbage is answered with errors', () =>
  withCli(async (cli) => {
    const lines = [
      'not json',
      '[]',
      '7',
      '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}',
      '{"jsonrpc":"2.0","id":2,"method":"no/such"}',
      '',
    ];
    const { code, stdout } = await cli.run(['acp', '--model', 'demo'], { input: lines.join('\n') });
    expect(code).toBe(0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(answers).toHaveLength(5);
    for (const answer of answers) expect(answer).toMatchObject({ error: { code: expect.any(Number) } });
  }));

test('an editor that leaves ends the program, and the turn goes on without it', () =>
  withCli(async (cli) => {
    let sessionId = '';
    await withEditor(cli, {}, async (editor) => {
      sessionId = await editor.begin(cli.folder);
      editor.say(sessionId, 'demo: run sleep 1; echo done').catch(() => undefined);
      await editor.told((one) => one.sessionUpdate === 'tool_call');
      expect(await editor.leave()).toMatchObject({ code: 0 });
    });
    const { stdout } = await cli.run(['ask', sessionId, '--continue', '--model', 'demo', '--jsonl']);
    expect(stdout).toContain('turn_ended');
  }));
