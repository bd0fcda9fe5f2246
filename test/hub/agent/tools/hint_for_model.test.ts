import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hintForModel } from '../../../../hub/agent/tools/hint_for_model.js';
import { toolsOf } from '../../../../hub/agent/tools/tool_definitions.js';
import { cliCommand, cliOption, rpcMethod } from '../../../../hub/base/hint.js';
import { METHODS } from '../../../../hub/protocol/methods/method_table.js';
import { Level } from '../../../../hub/protocol/turn.js';

const methodNames = Object.keys(METHODS);
const nameOfMethod = new RegExp(`\\b(${methodNames.map((name) => name.replace('.', '\\.')).join('|')})\\b`);

test.each(Level.options)('no hint names a method to a model at level %s, nor a tool that it has not', (level) => {
  const tools = toolsOf(level, { web: false, others: false });
  const others = ['read', 'write', 'edit', 'bash', 'spawn_session', 'ask_user'].filter(
    (name) => !tools.some((tool) => tool === name),
  );
  for (const method of methodNames) {
    const hint = hintForModel(['try ', rpcMethod(method), ' instead'], tools);
    if (hint === null) continue;
    expect(hint).not.toMatch(nameOfMethod);
    for (const other of others) expect(hint.split(' ')).not.toContain(other);
  }
  expect(hintForModel(['it is in ', rpcMethod('file.read')], tools)).toBe('it is in read');
  expect(hintForModel('try again', tools)).toBe('try again');
});

test('what is a person’s is named as such', () => {
  const hint = ['say ', cliOption('cwd', '<folder>'), ' or ', cliCommand('show')];
  expect(hintForModel(hint, [])).toBe(
    'say --cwd <folder> (which the person may say) or cognition show (which the person may run)',
  );
});

/** Each text in the sources of a folder, with what hints name as data left out. */
function textsIn(folder: string): { file: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const source = readFileSync(join(folder, name), 'utf8').replaceAll(/rpcMethod\([^)]*\)/g, '');
      return [...source.matchAll(/'([^'\n]*)'|`([^`]*)`/g)].map(([, plain, template]) => ({
        file: join(folder, name),
        text: plain ?? template ?? '',
      }));
    });
}

test('no sentence that the tools say has the name of a method in it', () => {
  const sentences = ['tools', 'hub/agent/tools', 'hub/agent/sub_sessions']
    .flatMap(textsIn)
    .filter(({ text }) => /\s/.test(text));
  expect(sentences.length).toBeGreaterThan(500);
  expect(sentences.filter(({ text }) => nameOfMethod.test(text))).toEqual([]);
});
