import type { z } from 'zod';
import type { CALL_FACTS } from '../call_facts.js';
import type { MethodSpec } from '../method.js';
import { agentMethods } from './agent_methods.js';
import { contextMethods } from './context_methods.js';
import { controlMethods } from './control_methods.js';
import { fileMethods } from './file_methods.js';
import { filesMethods } from './files_methods.js';
import { historyMethods } from './history_methods.js';
import { liveMethods } from './live_methods.js';
import { mcpMethods } from './mcp_methods.js';
import { nodeMethods } from './node_methods.js';
import { outsideMethods } from './outside_methods.js';
import { pluginMethods } from './plugin_methods.js';
import { questionMethods } from './question_methods.js';
import { sharingMethods } from './sharing_methods.js';
import { snapshotMethods } from './snapshot_methods.js';
import { taskMethods } from './task_methods.js';
import { toolMethods } from './tool_methods.js';
import { transferMethods } from './transfer_methods.js';
import { treeMethods } from './tree_methods.js';
import { inputMethods, requestMethods, turnMethods } from './turn_methods.js';

/** Every method there is. */
export const METHODS = {
  ...treeMethods,
  ...nodeMethods,
  ...turnMethods,
  ...questionMethods,
  ...inputMethods,
  ...requestMethods,
  ...snapshotMethods,
  ...sharingMethods,
  ...liveMethods,
  ...taskMethods,
  ...contextMethods,
  ...historyMethods,
  ...agentMethods,
  ...toolMethods,
  ...fileMethods,
  ...filesMethods,
  ...transferMethods,
  ...outsideMethods,
  ...mcpMethods,
  ...pluginMethods,
  ...controlMethods,
} satisfies Record<keyof typeof CALL_FACTS, MethodSpec>;

export type MethodName = keyof typeof METHODS;
/** The parameters as a caller writes them: fields with a default are optional. */
export type ParamsOf<M extends MethodName> = z.input<(typeof METHODS)[M]['params']>;
/** The parameters as a handler gets them: every field is present. */
export type ParsedOf<M extends MethodName> = z.output<(typeof METHODS)[M]['params']>;
export type ResultOf<M extends MethodName> = z.output<(typeof METHODS)[M]['result']>;
