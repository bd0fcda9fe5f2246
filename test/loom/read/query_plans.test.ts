import { expect, test } from 'vitest';
import * as checkTurns from '../../../loom/check/check_turns.js';
import * as scanNodes from '../../../loom/check/scan_nodes.js';
import * as exportNodes from '../../../loom/export/export_nodes.js';
import * as archivedDescendants from '../../../loom/read/archived_descendants.js';
import * as costRows from '../../../loom/read/costs/cost_rows.js';
import * as costShape from '../../../loom/read/costs/cost_shape.js';
import * as requestList from '../../../loom/read/costs/request_list.js';
import * as costs from '../../../loom/read/costs/tree_cost.js';
import * as inputs from '../../../loom/read/list_inputs.js';
import { leafQueries } from '../../../loom/read/list_leaves.js';
import * as nodeRows from '../../../loom/read/node_rows.js';
import * as pathState from '../../../loom/read/path_state.js';
import * as feed from '../../../loom/read/read_feed.js';
import * as nodes from '../../../loom/read/read_nodes.js';
import * as turns from '../../../loom/read/read_turns.js';
import * as shapeNear from '../../../loom/read/shape_near_node.js';
import * as treeShape from '../../../loom/read/tree_shape.js';
import * as path from '../../../loom/read/walk_path.js';
import * as index from '../../../loom/search/index_file.js';
import * as search from '../../../loom/search/search_nodes.js';
import * as stepEnd from '../../../loom/store/step_end.js';
import * as findRows from '../../../loom/write/find_rows.js';
import { ABANDONED_INPUTS } from '../../../loom/write/turn_inputs.js';
import { withReader } from '../../support/reader.js';
import { user } from '../../support/trees.js';

const modules = {
  scanNodes,
  checkTurns,
  exportNodes,
  feed,
  archivedDescendants,
  nodeRows,
  nodes,
  path,
  pathState,
  index,
  search,
  findRows,
  costRows,
  costShape,
  costs,
  inputs,
  requestList,
  treeShape,
  shapeNear,
  turns,
  stepEnd,
};
const statements = Object.entries(modules).flatMap(([module, exports]) =>
  Object.entries(exports).flatMap(([name, value]) => (typeof value === 'string' ? [[`${module}.${name}`, value]] : [])),
);
for (const archived of [false, true]) {
  for (const [name, sql] of Object.entries(leafQueries(archived))) statements.push([`leaves.${name} ${archived}`, sql]);
}

test.each(statements)('%s looks its nodes up: it neither scans nor sorts them', async (_name, sql = '') => {
  await withReader(async ({ store }, writer) => {
    await writer.plant(user('a'));
    const rows = store.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN ${sql}`,
      ...Array((sql.match(/\?/g) ?? []).length).fill(1),
    );
    const plan = rows.map(({ detail }) => detail).join('\n');
    expect(plan).not.toMatch(/^SCAN (n|c|m|p|o|r|i|u|t|nodes|requests|inputs|turns)\b/m);
    expect(plan).not.toContain('TEMP B-TREE');
    // The feed's own order would make one tree's nodes a look at everybody's.
    if (/n\.tree = \?/.test(sql) && !sql.includes('json_each')) expect(plan).toContain('nodes_by_tree');
  });
});

test('the start of a hub reads only pending inputs, however many there have been', async () => {
  await withReader(async ({ store }, writer) => {
    await writer.plant(user('a'));
    const plan = store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${ABANDONED_INPUTS}`).map(({ detail }) => detail);
    expect(plan[0]).toBe('SCAN i USING INDEX inputs_pending');
    expect(plan.join('\n')).not.toContain('TEMP B-TREE');
  });
});
