import { expect, test } from 'vitest';
import { withCli } from '../../../support/cli.js';
import { withEditor } from '../../../support/editor.js';
import { killHub } from '../../../support/hub.js';

const OPEN = { words: ['--model', 'demo', '--no-sandbox'] };

test('of a flood an editor is sent little more than its end', () =>
  withCli((cli) =>
    withEditor(cli, OPEN, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await editor.say(sessionId, 'demo: run yes 0123456789 | head -n 2000000; echo the end');
      const sent = editor.updates.reduce((sum, { update }) => sum + JSON.stringify(update).length, 0);
      expect(sent).toBeLessThan(20_000_000);
      const ended = await editor.told((one) => one.sessionUpdate === 'tool_call_update' && one.status === 'completed');
      expect(JSON.stringify(ended)).toContain('the end');
      expect(editor.violations).toEqual([]);
    }),
  ));

test('a hub that is killed in the middle of a turn is an error, and the session goes on', () =>
  withCli((cli) =>
    withEditor(cli, OPEN, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      const answered = editor.say(sessionId, 'demo: say I wait.\ndemo: run echo begun; sleep 600').then(
        ({ stopReason }) => stopReason,
        ({ code }: { code: number }) => code,
      );
      await editor.told((one) => JSON.stringify(one).includes('begun'));
      await killHub(cli.home);
      expect([-32603, 'end_turn', 'cancelled']).toContain(await answered);
      editor.answer();
      await editor.say(sessionId, 'demo: say still here');
      expect(editor.answer()).toContain('still here');
    }),
  ));

test('what is said while a turn runs is said to that turn', () =>
  withCli((cli) =>
    withEditor(cli, OPEN, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      const first = editor.say(sessionId, 'demo: run echo begun; until [ -e go ]; do sleep 0.05; done');
      await editor.told((one) => JSON.stringify(one).includes('begun'));
      const second = editor.say(sessionId, 'demo: say and this');
      await cli.run(['exec', sessionId, 'touch go']);
      expect((await Promise.all([first, second])).map(({ stopReason }) => stopReason)).toEqual([
        'end_turn',
        'end_turn',
      ]);
      expect(editor.answer()).toContain('and this');
    }),
  ));

test('a cancel that comes with its prompt ends it, and one without a prompt does nothing', () =>
  withCli((cli) =>
    withEditor(cli, OPEN, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await editor.agent.notify('session/cancel', { sessionId });
      const answered = editor.say(sessionId, 'demo: run sleep 600');
      await editor.agent.notify('session/cancel', { sessionId });
      expect(await answered).toMatchObject({ stopReason: 'cancelled' });
      expect(await editor.say(sessionId, 'demo: say after')).toMatchObject({ stopReason: 'end_turn' });
    }),
  ));

test('in an archived conversation nothing is said, and that is told', () =>
  withCli((cli) =>
    withEditor(cli, OPEN, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await editor.say(sessionId, 'demo: say hello');
      await cli.print('delete', sessionId);
      await expect(editor.say(sessionId, 'again')).rejects.toThrow(/archived/);
    }),
  ));

test('signs that a terminal or a screen would obey are not passed on', () =>
  withCli((cli) =>
    withEditor(cli, OPEN, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await editor.say(sessionId, "demo: say a\u202eb\ndemo: run printf '\\033[31mred\\033[0m\\007\\n'");
      const shown = JSON.stringify(editor.updates);
      for (const sign of ['\\u001b', '\\u0007', '\u202e']) expect(shown.includes(sign)).toBe(false);
      expect(shown).toContain('red');
    }),
  ));

test('an empty prompt and one without end are refused', () =>
  withCli((cli) =>
    withEditor(cli, OPEN, async (editor) => {
      const sessionId = await editor.begin(cli.folder);
      await expect(editor.say(sessionId, ' \n')).rejects.toMatchObject({ code: -32602 });
      await expect(editor.say(sessionId, 'x'.repeat(9 * 1024 * 1024))).rejects.toMatchObject({ code: -32602 });
      const empty = editor.agent.request('session/prompt', { sessionId, prompt: [] });
      await expect(empty).rejects.toMatchObject({ code: -32602 });
      const image = { type: 'image' as const, data: 'bm90IGFuIGltYWdl', mimeType: 'image/png' };
      await expect(editor.agent.request('session/prompt', { sessionId, prompt: [image] })).rejects.toThrow(/image/);
      expect(await cli.print('list')).toBe('');
    }),
  ));
