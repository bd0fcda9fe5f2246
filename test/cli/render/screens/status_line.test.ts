import { expect, test } from 'vitest';
import { renderStatus, type StatusFacts } from '../../../../cli/render/screens/status_line.js';
import { lookAt, namedStyle } from '../../../support/look.js';

const status: StatusFacts = {
  mode: 'INSERT',
  activity: 'Execute',
  tokens: { last: { in: 1_234, cached: 800, out: 567 }, total: { in: 9_999, out: 2_345 } },
  network: false,
  unsandboxed: false,
  model: 'anthropic/some-model',
  contextShare: 0.34,
  costMicrodollars: 12_345,
  place: { name: 'notes', node: 'a1b2c3d4' },
};

test('the status line says everything where there is room', () => {
  expect(renderStatus(status, lookAt(200))).toBe(
    '[ INSERT ] [ Execute ] [ i:1234(c:800) o:567 | total i:9999 o:2345 ] [ NET: off ] anthropic/some-model 34% $0.0123 notes at a1b2c3d4',
  );
  const bare = { ...status, model: null, contextShare: null, costMicrodollars: null, place: null };
  expect(renderStatus({ ...bare, mode: 'NORMAL', activity: 'Plan', network: true }, lookAt(200))).toBe(
    '[ NORMAL ] [ Plan ] [ i:1234(c:800) o:567 | total i:9999 o:2345 ] [ NET: on ] no model',
  );
});

test.each([
  [
    130,
    '[ INSERT ] [ Execute ] [ i:1234(c:800) o:567 ] [ NET: off ] UNSANDBOXED anthropic/some-model 34% $0.0123 notes at a1b2c3d4',
  ],
  [
    120,
    '[ INSERT ] [ Execute ] [ i:1234(c:800) o:567 ] [ NET: off ] UNSANDBOXED anthropic/some-model 34% notes at a1b2c3d4',
  ],
  [110, '[ INSERT ] [ Execute ] [ i:1234(c:800) o:567 ] [ NET: off ] UNSANDBOXED 34% notes at a1b2c3d4'],
  [92, '[ INSERT ] [ Execute ] [ i:1234(c:800) o:567 ] [ NET: off ] UNSANDBOXED notes at a1b2c3d4'],
  [80, '[ INSERT ] [ Execute ] [ NET: off ] UNSANDBOXED 34% notes at a1b2c3d4'],
  [68, '[ INSERT ] [ Execute ] [ NET: off ] UNSANDBOXED notes at a1b2c3d4'],
  [60, '[ INSERT ] [ NET: off ] UNSANDBOXED notes at a1b2c3d4'],
  [50, '[ INSERT ] [ NET: off ] UNSANDBOXED a1b2c3d4'],
  [40, 'INSERT NET:off UNSANDBOXED a1b2c3d4'],
  [32, 'INSERT NET:off UNSANDBOXED a1b2'],
  [30, 'INSERT NET:off UNSANDBOXED'],
  [20, 'NET:off UNSANDBOXED'],
  [12, 'NET:off UN…'],
])('in %i columns the least important goes first', (columns, row) => {
  expect(renderStatus({ ...status, unsandboxed: true }, lookAt(columns))).toBe(row);
});

test.each([
  [20, 'INSERT NET:off a1b2'],
  [30, 'INSERT NET:off a1b2c3d4'],
  [40, '[ INSERT ] [ NET: off ] a1b2c3d4'],
  [80, '[ INSERT ] [ Execute ] [ NET: off ] 34% A rather long name… at a1b2c3d4'],
  [
    200,
    '[ INSERT ] [ Execute ] [ i:1234(c:800) o:567 | total i:9999 o:2345 ] [ NET: off ] anthropic/some-model 34% $0.0123 A rather long name of a journey at a1b2c3d4',
  ],
])('in %i columns the position is shown, however long the name is', (columns, row) => {
  const place = { name: 'A rather long name of a journey', node: 'a1b2c3d4' };
  expect(renderStatus({ ...status, place }, lookAt(columns))).toBe(row);
});

test('the network is green when it is on and red when it is off', () => {
  const look = { ...lookAt(36), style: namedStyle };
  expect(renderStatus({ ...status, network: true }, look)).toBe('[ INSERT ] <good:[ NET: on ]> a1b2c3d4');
  expect(renderStatus({ ...status, unsandboxed: true }, look)).toBe(
    'INSERT <failure:NET:off> <failure:UNSANDBOXED> a1b2c3d4',
  );
});
