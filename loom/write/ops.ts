import type { MethodName } from '../../hub/protocol/methods.js';
import { archiveBranch, restoreBranch } from './branches.js';
import { importTree } from './import.js';
import { addInput, dropInputs, takeInput } from './inputs.js';
import { setMark } from './marks.js';
import { createExternal, createText } from './nodes.js';
import { purgeTree } from './purge.js';
import { answerQuestion, parkTurn } from './questions.js';
import { endRequest, startRequest } from './requests.js';
import { putSettings } from './settings.js';
import { createStep } from './steps.js';
import { archiveTree, createTree, renameTree, restoreTree } from './trees.js';
import { commitStep, endTurn, recordAnswer, recordResult, startTurn } from './turns.js';
import type { WriteOp } from './writing.js';

/** Every call that the writing thread serves. The hub has parsed its parameters by the method's schema. */
export const WRITE_OPS = {
  'loom.tree_create': createTree,
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
  'loom.settings_put': putSettings,
  'loom.turn_start': startTurn,
  'loom.turn_record_answer': recordAnswer,
  'loom.turn_record_result': recordResult,
  'loom.turn_commit_step': commitStep,
  'loom.turn_end': endTurn,
  'loom.turn_park': parkTurn,
  'loom.turn_answer': answerQuestion,
  'loom.input_add': addInput,
  'loom.input_take': takeInput,
  'loom.input_drop': dropInputs,
  'loom.request_start': startRequest,
  'loom.request_end': endRequest,
} satisfies { [M in MethodName]?: WriteOp<never> };

/** The calls that only append nodes: what they answer tells nothing of their tree's counters. */
export const APPENDS: ReadonlySet<string> = new Set<keyof typeof WRITE_OPS>([
  'loom.node_create_text',
  'loom.node_create_external',
  'loom.step_create',
]);
