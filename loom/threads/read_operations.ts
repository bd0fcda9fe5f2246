import { checkDatabase } from '../check/fsck.js';
import { exportTree } from '../export/export_tree.js';
import { oneSlice, type ReadOp } from '../paging/read_context.js';
import { getCostShape } from '../read/costs/cost_shape.js';
import { listRequests } from '../read/costs/request_list.js';
import { getCost } from '../read/costs/tree_cost.js';
import { findNodes } from '../read/find_nodes.js';
import { findTrees } from '../read/find_trees.js';
import { listInputs } from '../read/list_inputs.js';
import { listLeaves } from '../read/list_leaves.js';
import { getPathPlace, getPathSettings } from '../read/path_state.js';
import { readFeed } from '../read/read_feed.js';
import type { ReadOpName } from '../read/read_methods.js';
import { getChildren, getNode, getSkeleton } from '../read/read_nodes.js';
import { getSettings, getTree, listMarks, listTrees } from '../read/read_trees.js';
import { getTurn, listTurns, listWaiting } from '../read/read_turns.js';
import { getShapeNear } from '../read/shape_near_node.js';
import { getLines, getShape } from '../read/tree_shape.js';
import { getHandles, getPath } from '../read/walk_path.js';
import { getNodes, readChildren } from '../read/whole_nodes.js';
import { searchNodes } from '../search/search_nodes.js';
import { checkEntries } from '../sharing/check_entries.js';
import { readEntries } from '../sharing/read_entries.js';
import { readSharedFiles } from '../sharing/share_files.js';
import { listShares } from '../sharing/shares.js';
import { findSnapshots, listFolders, listRoots } from '../snapshots/find_snapshots.js';
import { listCopies } from '../snapshots/list_copies.js';
import { listSnapshots } from '../snapshots/list_snapshots.js';

/** The read operations by method. */
export const READ_OPS: { readonly [O in ReadOpName]: ReadOp<O> } = {
  'loom.tree_get': oneSlice(getTree),
  'loom.tree_find': findTrees,
  'loom.tree_get_skeleton': getSkeleton,
  'loom.tree_get_shape': getShape,
  'loom.tree_get_near': oneSlice(getShapeNear),
  'loom.tree_get_lines': oneSlice(getLines),
  'loom.tree_list': listTrees,
  'loom.mark_list': oneSlice(listMarks),
  'loom.tree_export': exportTree,
  'loom.node_get': oneSlice(getNode),
  'loom.node_get_many': getNodes,
  'loom.node_read_children': readChildren,
  'loom.node_find': findNodes,
  'loom.node_get_children': getChildren,
  'loom.context_get_path': getPath,
  'loom.context_list_leaves': listLeaves,
  'loom.context_get_handles': getHandles,
  'loom.context_get_place': getPathPlace,
  'loom.context_get_settings': getPathSettings,
  'loom.settings_get': oneSlice(getSettings),
  'loom.search': searchNodes,
  'loom.fsck': checkDatabase,
  'loom.turn_list': oneSlice(listTurns),
  'loom.turn_get': oneSlice(getTurn),
  'loom.turn_list_waiting': listWaiting,
  'loom.input_list': listInputs,
  'loom.request_list': oneSlice(listRequests),
  'loom.cost_shape': getCostShape,
  'loom.cost_get': getCost,
  'loom.snapshot_find': findSnapshots,
  'loom.snapshot_list': oneSlice(listSnapshots),
  'loom.snapshot_roots': oneSlice(listRoots),
  'loom.snapshot_folders': oneSlice(listFolders),
  'loom.copy_list': listCopies,
  'loom.share_list': oneSlice(listShares),
  'loom.share_read': readEntries,
  'loom.share_files_read': oneSlice(readSharedFiles),
  'loom.share_check': checkEntries,
  feed: readFeed,
};
