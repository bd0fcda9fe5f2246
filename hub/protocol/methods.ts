import type { z } from 'zod';
import type { MethodSpec } from './method.js';
import { agentMethods } from './methods/agent.js';
import { contextMethods } from './methods/context.js';
import { controlMethods } from './methods/control.js';
import { nodeMethods } from './methods/nodes.js';
import { parkMethods } from './methods/parking.js';
import { pluginMethods } from './methods/plugins.js';
import { toolMethods } from './methods/tools.js';
import { treeMethods } from './methods/trees.js';
import { inputMethods, requestMethods, turnMethods } from './methods/turns.js';

/** Every method there is. */
export const METHODS = {
  ...treeMethods,
  ...nodeMethods,
  ...turnMethods,
  ...parkMethods,
  ...inputMethods,
  ...requestMethods,
  ...contextMethods,
  ...agentMethods,
  ...toolMethods,
  ...pluginMethods,
  ...controlMethods,
} satisfies Record<string, MethodSpec>;

export type MethodName = keyof typeof METHODS;
/** What a caller may write: fields with a default are optional. */
export type ParamsOf<M extends MethodName> = z.input<(typeof METHODS)[M]['params']>;
/** What a handler is given: every field is there. */
export type ParsedOf<M extends MethodName> = z.output<(typeof METHODS)[M]['params']>;
export type ResultOf<M extends MethodName> = z.output<(typeof METHODS)[M]['result']>;
