import type { MethodName, ParsedOf } from '../../hub/protocol/methods/method_table.js';
import { applyEntries } from '../sharing/apply_entries.js';
import { setSharedFiles } from '../sharing/share_files.js';
import { removeShare, setShare } from '../sharing/shares.js';
import { importSnapshots } from '../snapshots/import_snapshots.js';
import { noteCopy, removeCopy } from '../snapshots/note_copy.js';
import { noteSnapshot } from '../snapshots/note_snapshot.js';
import { checkNode, createExternal, createText } from '../write/append_nodes.js';
import { archiveBranch, restoreBranch } from '../write/archive_branches.js';
import { archiveTree, createTree, renameTree, restoreTree } from '../write/change_trees.js';
import { createStep } from '../write/create_step.js';
import { forkTree } from '../write/fork_tree.js';
import { importTree } from '../write/import_tree.js';
import { encodeAhead } from '../write/insert_node.js';
import { setMark } from '../write/marks.js';
import { endRequest, startRequest } from '../write/model_requests.js';
import { answerQuestion, parkTurn, withdrawPermission } from '../write/parked_turns.js';
import { purgeTree } from '../write/purge_tree.js';
import { putSettings, trustSettings } from '../write/put_settings.js';
import { addInput, dropInputs, takeInput } from '../write/turn_inputs.js';
import { commitStep, endTurn, recordAnswer, recordResult, startTurn } from '../write/turn_journal.js';
import type { WriteOp } from '../write/write_operation.js';

/** The write operations by method. The hub has parsed the parameters with the method's schema. */
export const WRITE_OPS = {
  'loom.tree_create': createTree,
  'loom.tree_fork': forkTree,
  'loom.tree_update': renameTree,
  'loom.tree_archive': archiveTree,
  'loom.tree_restore': restoreTree,
  'loom.tree_purge': purgeTree,
  'loom.tree_import': importTree,
  'loom.mark_set': setMark,
  'loom.branch_archive': archiveBranch,
  'loom.branch_restore': restoreBranch,
  'loom.node_create_text': createText,
  'loom.node_create_external': createExternal,
  'loom.step_create': createStep,
  'loom.node_check': checkNode,
  'loom.settings_put': putSettings,
  'loom.settings_trust': trustSettings,
  'loom.turn_start': startTurn,
  'loom.turn_record_answer': recordAnswer,
  'loom.turn_record_result': recordResult,
  'loom.turn_commit_step': commitStep,
  'loom.turn_end': endTurn,
  'loom.turn_park': parkTurn,
  'loom.turn_answer': answerQuestion,
  'loom.question_withdraw': withdrawPermission,
  'loom.input_add': addInput,
  'loom.input_take': takeInput,
  'loom.input_drop': dropInputs,
  'loom.request_start': startRequest,
  'loom.request_end': endRequest,
  'loom.copy_add': noteCopy,
  'loom.copy_remove': removeCopy,
  'loom.snapshot_add': noteSnapshot,
  'loom.snapshot_import': importSnapshots,
  'loom.share_set': setShare,
  'loom.share_files_set': setSharedFiles,
  'loom.share_remove': removeShare,
  'loom.share_apply': applyEntries,
} satisfies { [M in MethodName]?: WriteOp<never> };

/** What is done for large calls before their transaction begins: their long texts are encoded. */
export const PREPARATIONS = {
  'loom.node_create_text': ({ blocks }: ParsedOf<'loom.node_create_text'>) => encodeAhead(blocks),
  'loom.node_create_external': ({ blocks }: ParsedOf<'loom.node_create_external'>) => encodeAhead(blocks),
  'loom.step_create': (step: ParsedOf<'loom.step_create'>) => {
    for (const { blocks } of [step, ...step.calls]) encodeAhead(blocks);
  },
} satisfies { [M in MethodName]?: (params: never) => void };

/** The operations that only append nodes: their results do not include their tree's counters. */
export const APPENDS: ReadonlySet<string> = new Set<keyof typeof WRITE_OPS>([
  'loom.node_create_text',
  'loom.node_create_external',
  'loom.step_create',
]);
