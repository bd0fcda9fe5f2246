import { exportTree } from '../export.js';
import { checkDatabase } from '../fsck.js';
import { searchNodes } from '../search/search.js';
import { getCost } from './costs.js';
import { readFeed } from './feed.js';
import { findNodes } from './find_nodes.js';
import { findTrees } from './find_trees.js';
import { listInputs } from './inputs.js';
import { listLeaves } from './leaves.js';
import { getChildren, getNode, getSkeleton } from './nodes.js';
import { oneSlice, type ReadOp } from './operation.js';
import { getTurn, listWaiting } from './parked.js';
import { getHandles, getPath } from './path.js';
import { getPathSettings, getPlace } from './place.js';
import { listRequests } from './request_list.js';
import type { ReadOpName } from './requests.js';
import { getLines, getShape } from './shape.js';
import { getNear } from './surroundings.js';
import { getSettings, getTree, listMarks, listTrees, listTurns } from './trees.js';

/** Every question that the reading thread answers, by the name of its method. */
export const READ_OPS: { readonly [O in ReadOpName]: ReadOp<O> } = {
  'loom.tree_get': oneSlice(getTree),
  'loom.tree_find': findTrees,
  'loom.tree_get_skeleton': getSkeleton,
  'loom.tree_get_shape': getShape,
  'loom.tree_get_near': oneSlice(getNear),
  'loom.tree_get_lines': oneSlice(getLines),
  'loom.tree_list': listTrees,
  'loom.mark_list': oneSlice(listMarks),
  'loom.tree_export': exportTree,
  'loom.node_get': oneSlice(getNode),
  'loom.node_find': findNodes,
  'loom.node_get_children': getChildren,
  'loom.context_get_path': getPath,
  'loom.context_list_leaves': listLeaves,
  'loom.context_get_handles': getHandles,
  'loom.context_get_place': getPlace,
  'loom.context_get_settings': getPathSettings,
  'loom.settings_get': oneSlice(getSettings),
  'loom.search': searchNodes,
  'loom.fsck': checkDatabase,
  'loom.turn_list': oneSlice(listTurns),
  'loom.turn_get': oneSlice(getTurn),
  'loom.turn_list_waiting': listWaiting,
  'loom.input_list': listInputs,
  'loom.request_list': oneSlice(listRequests),
  'loom.cost_get': getCost,
  feed: readFeed,
};
