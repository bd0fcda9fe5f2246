import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { withCli } from '../../../support/cli.js';
import { withEditor } from '../../../support/editor.js';

const ASKING = { words: ['--model', 'demo', '--level', 'ask', '--no-sandbox'] };
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('a prompt is answered, its calls are shown, and the nodes are those of the command line', () =>
  withCli((cli) =>
    withEditor(cli, {}, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      const { stopReason, _meta } = await editor.say(
        sessionId,
        'demo: think hm\ndemo: say I look.\ndemo: run echo tree',
      );
      expect(stopReason).toBe('end_turn');
      const calls = editor.updates.flatMap(({ update }) => (update.sessionUpdate === 'tool_call' ? [update] : []));
      expect(calls).toMatchObject([{ name: 'bash', kind: 'execute', title: 'echo tree', status: 'in_progress' }]);
      await editor.told((one) => one.sessionUpdate === 'agent_thought_chunk');
      const ended = await editor.told((one) => one.sessionUpdate === 'tool_call_update' && one.status === 'completed');
      expect(ended).toMatchObject({ content: [{ content: { text: '```\ntree\n```' } }] });
      expect(editor.answer()).toContain('I look.');
      const { cognition } = Object(_meta);
      expect(cognition.tree).toBe(sessionId);
      expect(await cli.print('show', sessionId, '--ids')).toContain(cognition.node.slice(0, 8));
      expect(editor.violations).toEqual([]);
    }),
  ));

test('a permission is asked of the editor, given once, kept for more, and refused', () =>
  withCli((cli) =>
    withEditor(cli, ASKING, async (editor) => {
      const file = join(cli.folder, 'made');
      const sessionId = await editor.begin(cli.folder);
      const questions: string[] = [];
      const write = 'demo: call write {"path":"made","content":"new\\n"}';
      editor.onPermission = ({ options, toolCall }) => {
        expect(options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once', 'allow_always']);
        questions.push(JSON.stringify(toolCall.content));
        return options.find(({ kind }) => kind === 'reject_once')?.optionId ?? null;
      };
      await editor.say(sessionId, write);
      expect(existsSync(file)).toBe(false);
      expect(questions).toEqual([expect.stringContaining('made be changed?')]);
      editor.onPermission = ({ options }) => options.find(({ kind }) => kind === 'allow_once')?.optionId ?? null;
      expect(await editor.say(sessionId, write)).toMatchObject({ stopReason: 'end_turn' });
      expect(readFileSync(file, 'utf8')).toBe('new\n');
      expect(editor.violations).toEqual([]);
    }),
  ));

test('a cancelled permission ends the turn, and the next prompt is answered', () =>
  withCli((cli) =>
    withEditor(cli, ASKING, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      editor.onPermission = () => null;
      expect(await editor.say(sessionId, 'demo: run touch made')).toMatchObject({ stopReason: 'cancelled' });
      expect(existsSync(join(cli.folder, 'made'))).toBe(false);
      editor.answer();
      expect(await editor.say(sessionId, 'demo: say still here')).toMatchObject({ stopReason: 'end_turn' });
      expect(editor.answer()).toContain('still here');
    }),
  ));

test('a turn is cancelled in the middle of a call, and keeps what was said', () =>
  withCli((cli) =>
    withEditor(cli, { words: ['--model', 'demo', '--no-sandbox'] }, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      const answered = editor.say(sessionId, 'demo: say I wait.\ndemo: run echo begun; sleep 600');
      await editor.told((one) => one.sessionUpdate === 'tool_call_update' && JSON.stringify(one).includes('begun'));
      await editor.agent.notify('session/cancel', { sessionId });
      expect(await answered).toMatchObject({ stopReason: 'cancelled' });
      expect(await cli.print('show', sessionId)).toContain('I wait.');
    }),
  ));

test('what a model asks is asked of the editor: as options, as a form, or by the next prompt', () =>
  withCli(async (cli) => {
    const words = ['--model', 'demo', '--level', 'plan'];
    const ask = 'demo: call ask_user {"question":"Which way?","options":["left","right"]}';
    await withEditor(cli, { words }, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      editor.onPermission = ({ options }) => options.find(({ name }) => name === 'right')?.optionId ?? null;
      await editor.say(sessionId, ask);
      expect(editor.answer()).toContain('right');
      editor.onPermission = ({ options }) => options.find(({ kind }) => kind === 'reject_once')?.optionId ?? null;
      await editor.say(sessionId, ask);
      expect(editor.answer()).toContain('Which way?');
      await editor.say(sessionId, 'straight on');
      expect(editor.answer()).toContain('straight on');
      expect(editor.violations).toEqual([]);
    });
    const capabilities = { elicitation: { form: {} } };
    await withEditor(cli, { words, capabilities }, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      editor.onForm = (message) => `the answer to ${message}`;
      await editor.say(sessionId, 'demo: call ask_user {"question":"Why?"}');
      expect(editor.answer()).toContain('the answer to Why?');
      expect(editor.violations).toEqual([]);
    });
  }));

test('a plan is told as one', () =>
  withCli((cli) =>
    withEditor(cli, { words: ['--model', 'demo', '--level', 'plan'] }, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await editor.say(sessionId, 'make a plan');
      const plan = await editor.told((one) => one.sessionUpdate === 'plan');
      expect(plan).toMatchObject({
        entries: [{ status: 'pending', priority: 'medium' }, { content: 'Run it, to see that it does.' }],
      });
    }),
  ));

test('how full the window is and what was used is told, and the title when it has one', () =>
  withCli(async (cli) => {
    await cli.print('config', 'set', 'window', '100000');
    await withEditor(cli, {}, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      const { usage } = Object(await editor.say(sessionId, 'demo: say hello'));
      expect(usage).toMatchObject({ inputTokens: expect.any(Number), outputTokens: expect.any(Number) });
      expect(await editor.told((one) => one.sessionUpdate === 'usage_update')).toMatchObject({ size: 100_000 });
      const told = await editor.told((one) => one.sessionUpdate === 'session_info_update');
      expect(told).toMatchObject({ title: 'demo: say hello', _meta: { cognition: { tree: sessionId } } });
      expect(editor.violations).toEqual([]);
    });
  }));

test('files, selections and images of the editor reach the model', () =>
  withCli((cli) =>
    withEditor(cli, {}, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      const uri = pathToFileURL(join(cli.folder, 'a b.ts')).href;
      writeFileSync(join(cli.folder, 'a b.ts'), 'one');
      const { _meta } = await editor.agent.request('session/prompt', {
        sessionId,
        prompt: [
          { type: 'text', text: 'compare ' },
          { type: 'resource_link', name: 'a b.ts', uri },
          { type: 'text', text: ' with ' },
          { type: 'resource', resource: { uri: 'untitled:1', text: 'a ``` b' } },
          { type: 'image', data: PIXEL, mimeType: 'image/png' },
        ],
      });
      expect(Object(_meta).cognition.tree).toBe(sessionId);
      const shown = await cli.print('context', sessionId);
      expect(shown).toContain(`compare ${join(cli.folder, 'a b.ts')} with untitled:1`);
      expect(shown).toContain('````\na ``` b\n````');
      expect(JSON.stringify(await cli.json('export', sessionId))).toContain('image/png');
      const sound = editor.agent.request('session/prompt', {
        sessionId,
        prompt: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }],
      });
      await expect(sound).rejects.toMatchObject({ code: -32602 });
    }),
  ));

test('a failure of the model is an error with what to do about it, not an answer', () =>
  withCli((cli) =>
    withEditor(cli, {}, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await expect(editor.say(sessionId, 'demo: fail rejected')).rejects.toMatchObject({ code: -32603 });
      expect(editor.answer()).toBe('');
      expect(await editor.say(sessionId, 'demo: end max_tokens')).toMatchObject({ stopReason: 'max_tokens' });
      expect(await editor.say(sessionId, 'demo: end refused')).toMatchObject({ stopReason: 'refusal' });
    }),
  ));

test('without a key a prompt says so, and nothing is kept of it', () =>
  withCli((cli) =>
    withEditor(cli, { words: ['--model', 'sonnet'] }, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await expect(editor.say(sessionId, 'hello')).rejects.toMatchObject({ code: -32000 });
      expect(await cli.print('list')).not.toContain('hello');
      const authenticated = editor.agent.request('authenticate', { methodId: 'environment' });
      await expect(authenticated).rejects.toMatchObject({ code: -32000 });
    }),
  ));
