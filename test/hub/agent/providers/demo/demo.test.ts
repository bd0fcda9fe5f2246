import { describe, expect, test } from 'vitest';
import { demoProvider } from '../../../../../hub/agent/providers/demo/demo_provider.js';
import type { ModelMessage } from '../../../../../hub/protocol/methods/context_methods.js';
import { manualTimers } from '../../../../support/manual_timers.js';
import { assistant, hear, REQUEST, result, text, user } from '../dialects.js';

const provider = demoProvider(manualTimers());
const answerTo = (...messages: ModelMessage[]) => hear(provider, { ...REQUEST, messages });
const results = (...content: ModelMessage['content']): ModelMessage => ({ role: 'user', content });

/** The words of an answer, its calls by their command, and its end. */
async function told(...messages: ModelMessage[]) {
  const { answer, failure } = await answerTo(...messages);
  expect(failure).toBeNull();
  const words = answer.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const commands = answer.blocks.flatMap((block) => (block.type === 'call' ? [block.input] : []));
  return { words: words.join('\n'), commands, end: answer.end };
}

describe('the demo model', () => {
  test.each([
    ['list the python files in src/', 'ls src/*.py'],
    ['Please list the files in docs.', 'ls docs'],
    ['which files are there?', 'ls'],
    ['What TypeScript files are in "my folder"?', `ls '"my'/*.ts`],
    ['show me the contents of main.py', 'cat main.py'],
    ['actually, show me src/utils.py instead', 'cat src/utils.py'],
    ['how many lines has README.md?', 'wc -l README.md'],
    ['how many lines are in src/main.py', 'wc -l src/main.py'],
    ['search for main in src', 'grep -rn -- main src'],
    ['run `echo hi; pwd`', 'echo hi; pwd'],
    ["show me $(reboot).txt'; rm -rf x.py", 'cat reboot'],
  ])('understands %j', async (question, command) => {
    const { commands, end } = await told(user(question));
    if (command === 'cat reboot') expect(JSON.stringify(commands)).not.toMatch(/\$\(|;|rm/);
    else expect(commands).toEqual([{ command }]);
    expect(end).toBe('calls');
  });

  test('answers from what the tools said, and remembers where a file was', async () => {
    const question = user('list the python files in src/');
    const first = await answerTo(question);
    const [call] = first.answer.blocks;
    if (call?.type !== 'call') throw new Error('it called nothing');
    const history = [question, assistant(call), results(result(call.id, 'src/main.py\nsrc/utils.py\n'))];
    const found = await told(...history);
    expect(found.words).toMatch(
      /^I found 2 Python files:\n\n- src\/main\.py\n- src\/utils\.py\n\n\(I am the demo model/,
    );
    expect(found.end).toBe('answered');

    const shown = [...history, assistant(text(found.words)), user('show me the contents of main.py')];
    const second = await answerTo(...shown);
    const [cat] = second.answer.blocks;
    expect(cat).toMatchObject({ input: { command: 'cat src/main.py' } });
    if (cat?.type !== 'call') throw new Error('it called nothing');
    const contents = await told(...shown, assistant(cat), results(result(cat.id, 'print(1)')));
    expect(contents.words).toBe("Here's the contents of main.py:\n\n```\nprint(1)\n```");
  });

  test('says so when there are no files', async () => {
    const call = { type: 'call' as const, id: 'c', tool: 'bash', input: { command: 'ls' } };
    const { words } = await told(user('which files are there?'), assistant(call), results(result('c', '(no output)')));
    expect(words).toMatch(/^I found no files\.\n\n\(I am the demo model/);
  });

  test('says what went wrong', async () => {
    const call = { type: 'call' as const, id: 'c', tool: 'bash', input: { command: 'ls nowhere' } };
    const { words } = await told(
      user('list the files in nowhere'),
      assistant(call),
      results(result('c', 'no such file', true)),
    );
    expect(words).toMatch(/^That did not work \(ls nowhere\):\n\n```\nno such file\n```/);
  });

  test('says that it is a demo, and what it can do', async () => {
    expect((await told(user('What is love?'))).words).toMatch(/I am the demo model: no AI/);
    const { answer } = await hear(provider, { ...REQUEST, tools: [], messages: [user('list the files')] });
    expect(answer.blocks[0]).toMatchObject({ text: expect.stringMatching(/^I have no bash here.*demo model/) });
    expect((await told()).words).toMatch(/^You have not asked anything yet/);
  });

  test('speaks word by word and always in the same words', async () => {
    const once = await answerTo(user('demo: say one two  three\ndemo: think hm hm'));
    expect(once.events.map((event) => ('text' in event ? `${event.kind}:${event.text}` : event.kind))).toEqual([
      'thinking:hm',
      'thinking: hm',
      'thinking_signed',
      'text:one',
      'text: two',
      'text:  three',
      'usage',
      'end',
    ]);
    expect(await answerTo(user('demo: say one two  three\ndemo: think hm hm'))).toEqual(once);
  });

  test('does step by step what it is told', async () => {
    const script = user(
      'demo: run a\ndemo: call read {"path": "x"}\ndemo: then\ndemo: run b\ndemo: call x {"n\ndemo: then\ndemo: say done',
    );
    const first = await answerTo(script);
    expect(first.answer.blocks.map((block) => block.type === 'call' && [block.tool, block.input])).toEqual([
      ['bash', { command: 'a' }],
      ['read', { path: 'x' }],
    ]);
    const one = [script, assistant(...first.answer.blocks), results(result('call_1_0', '1'), result('call_1_1', '2'))];
    const second = await answerTo(...one);
    expect([...second.answer.malformed.keys()]).toEqual(['call_3_1']);
    expect(second.answer.end).toBe('calls');
    const two = [...one, assistant(...second.answer.blocks), results(result('call_3_0', '3'), result('call_3_1', '4'))];
    expect(await told(...two)).toEqual({ words: 'done', commands: [], end: 'answered' });
  });

  test('answers from the results when its script has no more lines', async () => {
    const call = { type: 'call' as const, id: 'c', tool: 'bash', input: { command: 'pwd' } };
    const { words } = await told(user('demo: run pwd'), assistant(call), results(result('c', '/tmp')));
    expect(words).toMatch(/^pwd says:\n\n```\n\/tmp\n```/);
  });

  test.each(['rate_limited', 'overloaded', 'network', 'rejected', 'no_key', 'context_too_long'])(
    'fails with %s when it is told to',
    async (kind) => {
      const { failure, answer } = await answerTo(user(`demo: say so far\ndemo: fail ${kind}`));
      expect(failure).toMatchObject({ kind, details: { visible: true } });
      expect(answer.blocks).toEqual([text('so far')]);
    },
  );

  test.each(['max_tokens', 'refused', 'empty', 'context_too_long'])('ends with %s when it is told to', async (end) => {
    expect((await answerTo(user(`demo: say x\ndemo: end ${end}`))).answer.end).toBe(end);
  });

  test('can speak at length, and is stopped in the middle', async () => {
    const stop = new AbortController();
    const answer = provider.answer({ ...REQUEST, messages: [user('demo: words 100000')] }, stop.signal);
    await answer.next();
    stop.abort();
    await expect(answer.next()).rejects.toMatchObject({ kind: 'cancelled', details: { visible: true } });
  });
});
