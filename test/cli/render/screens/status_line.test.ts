import { expect, test } from 'vitest';
import { renderStatus, type StatusFacts } from '../../../../cli/render/screens/status_line.js';
import { lookAt, namedStyle } from '../../../support/look.js';

const status: StatusFacts = {
  mode: 'INSERT',
  activity: 'Execute',
  tokens: { last: { in: 1_234, cached: 800, out: 567 }, total: { in: 9_999, out: 2_345 } },
  network: false,
  unsandboxed: false,
  jobs: 0,
  unsent: null,
  thinking: 'auto',
  model: 'anthropic/some-model',
  contextShare: 0.34,
  cost: { microdollars: 12_345, isWhole: true },
  place: { name: 'notes', node: 'a1b2c3d4' },
};

test('the status line says everything where there is room', () => {
  expect(renderStatus(status, lookAt(200))).toBe(
    '[ INSERT ] [ Execute ] [ i:1234(c:800) o:567 | total i:9999 o:2345 ] [ NET: off ] anthropic/some-model 34% $0.0123 notes at a1b2c3d4',
  );
  const bare = { ...status, model: null, contextShare: null, cost: null, place: null };
  expect(renderStatus({ ...bare, mode: 'NORMAL', activity: 'Plan', network: true }, lookAt(200))).toBe(
    '[ NORMAL ] [ Plan ] [ i:1234(c:800) o:567 | total i:9999 o:2345 ] [ NET: on ] no model',
  );
});

test('before any tokens were used the status line says nothing of them', () => {
  const none = { last: { in: 0, cached: 0, out: 0 }, total: { in: 0, out: 0 } };
  expect(renderStatus({ ...status, tokens: none }, lookAt(200))).toBe(
    '[ INSERT ] [ Execute ] [ NET: off ] anthropic/some-model 34% $0.0123 notes at a1b2c3d4',
  );
});

test('the status line says how much a model thinks where that was chosen', () => {
  expect(renderStatus({ ...status, thinking: 'high' }, lookAt(200))).toContain(
    'anthropic/some-model thinking:high 34%',
  );
  expect(renderStatus({ ...status, thinking: 'high' }, lookAt(80))).toBe(
    '[ INSERT ] [ Execute ] [ NET: off ] some-model thinking:high 34% $0.0123',
  );
  expect(renderStatus({ ...status, thinking: null }, lookAt(200))).toContain('anthropic/some-model 34%');
});

test('the status line says what runs in the background, as long as there is room for more than the network', () => {
  expect(renderStatus({ ...status, jobs: 1 }, lookAt(200))).toContain('[ NET: off ] 1 job anthropic/some-model');
  expect(renderStatus({ ...status, unsent: 'team: 3 to send' }, lookAt(200))).toContain(
    '[ NET: off ] team: 3 to send anthropic/some-model',
  );
  expect(renderStatus({ ...status, jobs: 2 }, lookAt(60))).toBe(
    '[ INSERT ] [ NET: off ] 2 jobs some-model 34% $0.0123',
  );
  expect(renderStatus({ ...status, jobs: 2 }, lookAt(20))).toBe('INSERT NET:off 34%');
});

test.each([
  [
    130,
    '[ INSERT ] [ Execute ] [ i:1234(c:800) o:567 ] [ NET: off ] UNSANDBOXED anthropic/some-model 34% $0.0123 notes at a1b2c3d4',
  ],
  [120, '[ INSERT ] [ Execute ] [ NET: off ] UNSANDBOXED anthropic/some-model 34% $0.0123 notes at a1b2c3d4'],
  [90, '[ INSERT ] [ Execute ] [ NET: off ] UNSANDBOXED some-model 34% $0.0123 notes at a1b2c3d4'],
  [84, '[ INSERT ] [ Execute ] [ NET: off ] UNSANDBOXED some-model 34% $0.0123 at a1b2c3d4'],
  [80, '[ INSERT ] [ Execute ] [ NET: off ] UNSANDBOXED some-model 34% $0.0123'],
  [68, '[ INSERT ] [ NET: off ] UNSANDBOXED some-model 34% $0.0123'],
  [56, '[ INSERT ] NET:off UNSANDBOXED some-model 34% $0.0123'],
  [50, '[ INSERT ] NET:off UNSANDBOXED 34% $0.0123'],
  [40, 'INSERT NET:off UNSANDBOXED 34%'],
  [30, 'INSERT NET:off UNSANDBOXED'],
  [20, 'NET:off UNSANDBOXED'],
  [12, 'NET:off UN…'],
])('in %i columns the least important goes first', (columns, row) => {
  expect(renderStatus({ ...status, unsandboxed: true }, lookAt(columns))).toBe(row);
});

test.each([
  [80, '[ INSERT ] [ Execute ] [ NET: off ] some-model 34% $0.0123 at a1b2c3d4'],
  [92, '[ INSERT ] [ Execute ] [ NET: off ] some-model 34% $0.0123 A rather long name… at a1b2c3d4'],
  [
    200,
    '[ INSERT ] [ Execute ] [ i:1234(c:800) o:567 | total i:9999 o:2345 ] [ NET: off ] anthropic/some-model 34% $0.0123 A rather long name of a journey at a1b2c3d4',
  ],
])('in %i columns model, share and price are shown, and where one stands however long the name is', (columns, row) => {
  const place = { name: 'A rather long name of a journey', node: 'a1b2c3d4' };
  expect(renderStatus({ ...status, place }, lookAt(columns))).toBe(row);
});

test('a mode that is no usual one stays where there is room for the model', () => {
  expect(renderStatus({ ...status, activity: 'Plan' }, lookAt(55))).toBe(
    '[ INSERT ] [ Plan ] NET:off some-model 34% $0.0123',
  );
});

test('a price that is not known, or not of all, is never told as zero', () => {
  const cost = (microdollars: number, isWhole: boolean) =>
    renderStatus({ ...status, cost: { microdollars, isWhole } }, lookAt(200));
  expect(cost(0, true)).toContain(' 34% $0 notes');
  expect(cost(0, false)).toContain(' 34% $? notes');
  expect(cost(12_345, false)).toContain(' 34% $0.0123+? notes');
});

test('the network is red when it is on and green when it is off', () => {
  const look = { ...lookAt(30), style: namedStyle };
  expect(renderStatus({ ...status, network: true }, look)).toBe('[ INSERT ] <failure:NET:on> 34% $0.0123');
  expect(renderStatus({ ...status, unsandboxed: true }, look)).toBe('INSERT <good:NET:off> <failure:UNSANDBOXED>');
});
