import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentRecords, lineRecords } from '../../../../cli/transfer/history/json_records.js';
import { noProblems } from '../../../../cli/transfer/history/read_histories.js';
import type { HistoryTurn } from '../../../../tools/agents/history/history.js';
import { chunks, readBytes, SAMPLES } from './reading.js';

const FILES: [string, string][] = [
  ['claude', 'claude/projects/-srv-project/d61698b7-5ea1-4d64-9b0b-c417d06b6caa.jsonl'],
  ['codex', 'codex/sessions/2026/11/19/rollout-2026-11-19T05-27-21-01a1f246-12f0-7610-af19-6b76be38beea.jsonl'],
  [
    'gemini',
    'gemini/tmp/project/chats/89c3e89d-94dd-4cc4-bc0c-cbc6ad515665/9ab12ded-6a61-42ac-99d1-59990c6a7089.jsonl',
  ],
  ['pi', 'pi/sessions/--srv-project--/2026-11-19T05-27-43-175Z_01a1f246-6947-742a-bdab-56c4f26c798b.jsonl'],
  ['opencode', 'opencode/export-ses_e0db97bd7ffe7sb3ByNuWjPQtx.json'],
];

const wordsOf = ({ kind, text, calls }: HistoryTurn): string => JSON.stringify([kind, text, calls]);

test.each(FILES)(
  'a session of %s that is cut anywhere gives the turns that are whole, and says so',
  async (name, path) => {
    const bytes = readFileSync(join(SAMPLES, path));
    const isDocument = path.endsWith('.json');
    const whole = (await readBytes(name, bytes, isDocument)).turns.map(wordsOf);
    const wrong: number[] = [];
    for (let length = 0; length < bytes.length; length += 1) {
      const { turns, problems } = await readBytes(name, bytes.subarray(0, length), isDocument);
      const words = turns.map(wordsOf);
      const isBeginning = words.every((word, index) => word === whole[index]);
      const isAtEnd = isDocument
        ? length === 0 || bytes[length] === undefined
        : [undefined, 0x0a].includes(bytes[length - 1]) || bytes[length] === 0x0a;
      const isDocumentEnd = isDocument && bytes.subarray(length).toString().trim() === '';
      if (!isBeginning || problems.cut === (isAtEnd || isDocumentEnd)) wrong.push(length);
    }
    expect(wrong).toEqual([]);
    expect(whole.length).toBeGreaterThan(1);
  },
  60_000,
);

test('lines are read whatever the bounds of the chunks, and broken ones are left out', async () => {
  const line = fc.oneof(fc.json(), fc.constantFrom('{"a', '', '  ', '\u0000', '{"type":"api-request-blob","data":[}'));
  const property = fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (lines, cuts) => {
    const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
    const problems = noProblems();
    const read: unknown[] = [];
    for await (const record of lineRecords(chunks(pieces(bytes, cuts)), problems)) read.push(record);
    const wanted = lines.flatMap(valueIn);
    const blank = lines.filter((one) => one.trim() === '' || one.startsWith('{"type":"api-request')).length;
    expect([read, problems]).toEqual([wanted, { ...noProblems(), broken: lines.length - blank - wanted.length }]);
  });
  await fc.assert(property);
});

function valueIn(line: string): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return []; // it is one of the broken lines
  }
}

test('the objects of a document are read whatever the bounds of the chunks', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.object()),
    fc.object(),
    fc.array(fc.nat()),
    async (list, info, cuts) => {
      const documents: [unknown, unknown[]][] = [
        [list, list],
        [{ info, other: 7, list, text: '[{"no' }, [info, ...list]],
      ];
      for (const [document, wanted] of documents) {
        const problems = noProblems();
        const read: unknown[] = [];
        const bytes = Buffer.from(JSON.stringify(document, null, cuts.length % 2));
        for await (const record of documentRecords(chunks(pieces(bytes, cuts)), problems)) read.push(record);
        expect([read, problems]).toEqual([JSON.parse(JSON.stringify(wanted)), noProblems()]);
      }
    },
  );
  await fc.assert(property);
});

/** Cuts bytes at some places. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

test('what is in the fields of a record may be of any shape', async () => {
  const record = fc.dictionary(
    fc.constantFrom(
      'type',
      'uuid',
      'parentUuid',
      'id',
      'parentId',
      'message',
      'payload',
      'content',
      'role',
      'timestamp',
      '$set',
      'messages',
      'mapping',
      'info',
      'parts',
      'toolCalls',
      'calls',
    ),
    fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('user', 'assistant', 'message', 'response_item', 'function_call', 'gemini', 'tool'),
    ),
  );
  const names = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'chatgpt'];
  const property = fc.asyncProperty(fc.constantFrom(...names), fc.array(record), async (name, records) => {
    const bytes = Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''));
    expect((await readBytes(name, bytes, false)).problems.broken).toBe(0);
  });
  await fc.assert(property, { numRuns: 500 });
});
