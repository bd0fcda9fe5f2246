import { expect, test } from 'vitest';
import { type CostSum, formatPrice, renderCosts } from '../../../../cli/render/reports/cost_table.js';
import { renderDemoEnd } from '../../../../cli/render/reports/demo_end.js';
import { difference } from '../../../../cli/reports/read_costs.js';
import { lookAt, namedStyle } from '../../../support/look.js';
import { NOTHING } from '../../../support/spending.js';

const some: CostSum = {
  ...NOTHING,
  ...{ requests: 12, tokens_in: 1_234, tokens_out: 567, tokens_cache_read: 120_000 },
  ...{ tokens_cache_write_5m: 8_000, tokens_cache_write_1h: 500, price_microdollars: 123_400 },
};
const few: CostSum = { ...NOTHING, requests: 1, tokens_in: 34, tokens_out: 7, price_microdollars: 400 };
const branch = [
  { label: 'this conversation', cost: some },
  { label: 'up to 5e6f7a8b', cost: some },
  { label: '  new below abcdef01', cost: few },
  { label: '  before that', cost: difference(some, few) },
];

test('in 80 columns each sum is a line, and what is new on a branch stands below it', () => {
  expect(renderCosts({ lines: branch, total: some }, lookAt(80))).toBe(
    `                      requests     in  out  cache read  cache write  price
this conversation           12  1,234  567     120,000        8,500  $0.1234
up to 5e6f7a8b              12  1,234  567     120,000        8,500  $0.1234
  new below abcdef01         1     34    7           0            0  $0.0004
  before that               11  1,200  560     120,000        8,500  $0.1230
`,
  );
});

test('in 40 columns each sum is a few lines, without a cache that was not used', () => {
  expect(renderCosts({ lines: branch.slice(1, 3), total: some }, lookAt(40))).toBe(
    `up to 5e6f7a8b
  12 requests, in 1,234, out 567,
  cache read 120,000, cache write 8,500,
  price $0.1234
  new below abcdef01
    1 request, in 34, out 7,
    price $0.0004
`,
  );
});

test('what is not known is called unknown, and told how often', () => {
  const unpriced = { ...some, requests: 3, price_microdollars: 0, unknown_price: 3 };
  const mixed = { ...some, unknown_price: 2 };
  const uncounted = { ...NOTHING, requests: 1, unknown_price: 1, unknown_usage: 1, failed: 1 };
  const total = { ...some, requests: 17, unknown_price: 6, unknown_usage: 1, failed: 1, estimated: 2, running: 1 };
  const lines = [
    { label: 'own server', cost: unpriced },
    { label: 'both', cost: mixed },
    { label: 'cut off', cost: uncounted },
  ];
  expect(renderCosts({ lines, total }, lookAt(100))).toBe(
    `            requests       in      out  cache read  cache write  price
own server         3    1,234      567     120,000        8,500  unknown for 3
both              12    1,234      567     120,000        8,500  $0.1234, unknown for 2
cut off            1  unknown  unknown     unknown      unknown  unknown for 1
6 requests are in no price, because theirs is not known.
1 request is in no number of tokens, because nobody counted them.
2 requests are estimated, because the answer was cut off.
1 request failed.
1 request still running: not counted yet.
`,
  );
});

test('a request that is still running has neither tokens nor a price yet', () => {
  const total = { ...NOTHING, requests: 1, running: 1 };
  expect(renderCosts({ lines: [{ label: 'now', cost: total }], total }, lookAt(80))).toBe(
    `     requests       in      out  cache read  cache write  price
now         1  not yet  not yet     not yet      not yet  not yet
1 request still running: not counted yet.
`,
  );
});

test('labels are cut by their width, cleaned, and only the headings and remarks are quiet', () => {
  const lines = [{ label: `  数据\x1b[31m${'x'.repeat(60)}`, cost: few }];
  const total = { ...few, failed: 1 };
  const look = { ...lookAt(80), style: namedStyle };
  expect(renderCosts({ lines, total }, look)).toBe(
    `<quiet:                             requests  in  out  cache read  cache write  price>
  数据xxxxxxxxxxxxxxxxxxxx…         1  34    7           0            0  $0.0004
<quiet:1 request failed.>
`,
  );
});

test.each([
  [0, '$0'],
  [1, '<$0.0001'],
  [99, '<$0.0001'],
  [100, '$0.0001'],
  [123_456, '$0.1235'],
  [999_949, '$0.9999'],
  [999_950, '$1.00'],
  [12_345_678, '$12.35'],
  [1_234_567_890, '$1,234.57'],
])('%d millionths of a dollar are written %s', (microdollars, written) => {
  expect(formatPrice(microdollars)).toBe(written);
});

const places = { tree: 'abcdef01-x', tips: ['11111111-x', '22222222-x'], project: 'home-demo' } as const;

test('a demo ends with what one can do next, a line each in 80 columns', () => {
  expect(renderDemoEnd(places, lookAt(80))).toBe(
    `The conversation stays, all branches of it. Now you can
  talk on; say "help"   cognition chat abcdef01 --there
  draw it again         cognition show abcdef01
  read where you are    cognition context abcdef01
  compare the branches  cognition compare abcdef01 11111111 22222222
  ask one thing more    cognition ask abcdef01 "list the files" --there
  hide it               cognition delete abcdef01

Its folder: home-demo
A real model needs ANTHROPIC_API_KEY or OPENAI_API_KEY or GEMINI_API_KEY, and
then:
  cognition ask "what does this project do?"
`,
  );
});

test('in 40 columns what one can do after a demo takes two lines each', () => {
  expect(renderDemoEnd(places, lookAt(40)).split('\n').slice(0, 5)).toEqual([
    'The conversation stays, all branches of it. Now you can',
    '  talk on; say "help":',
    '    cognition chat abcdef01 --there',
    '  draw it again:',
    '    cognition show abcdef01',
  ]);
});
