import type { z } from 'zod';
import { asked, type Reach } from '../context/reach.js';
import { HubError } from '../error.js';
import type { CommandEvent, ToolAnswer } from '../protocol/methods/tools.js';
import type { Block, External, NodeId, TreeId } from '../protocol/node.js';
import type { Policy } from '../protocol/policy.js';
import type { Grants, Level } from '../protocol/turn.js';
import { openShell } from './shell.js';
import { TOOL_INPUTS, type ToolName, toolsOf } from './tool_definitions.js';

/** A call as a model made it. */
export interface ModelCall {
  /** The model's own id of it. */
  call: string;
  /** The id that its node will have. */
  id: NodeId;
  tool: string;
  input: unknown;
  /** What is wrong with its input; null when it is an object. */
  problem: string | null;
}

/** What a call came to. */
export type CallResult = Pick<ToolAnswer, 'blocks' | 'external'>;

export interface CallSurroundings {
  /** The settled node that the step grows from. */
  parent: NodeId;
  signal: AbortSignal;
  onOutput(event: Extract<CommandEvent, { kind: 'output' }>): void;
}

/** Runs the tools of one turn. It owns what they may: whoever calls it cannot widen that. */
export interface Executor {
  /** Whether calls of a tool leave everything as it is, so that several may run at once. */
  onlyLooks(tool: string): boolean;
  /** A call that fails is a result for the model; only what no model can help throws. */
  call(call: ModelCall, surroundings: CallSurroundings): Promise<CallResult>;
}

export interface ExecutorParts {
  reach: Reach;
  tree: TreeId;
  level: Level;
  grants: Grants;
  /** The real path of what may be changed. */
  project: string;
  /** Where the branch stands. */
  cwd: string;
  environment: Record<string, string> | null;
  /** A name for the shell session that stays the same for the same tree and policy. */
  session: string;
}

type Inputs = { [Tool in ToolName]: z.output<(typeof TOOL_INPUTS)[Tool]> };

export function createExecutor(parts: ExecutorParts): Executor {
  const { reach, tree, level } = parts;
  const policy = policyFor(parts);
  const tools = toolsOf(level);
  const shell = openShell({ ...parts, policy });

  function file<M extends 'file.read' | 'file.write' | 'file.edit'>(
    method: M,
    around: CallSurroundings,
    params: Parameters<typeof asked<M>>[2],
  ) {
    return asked({ hub: reach.hub, context: { ...reach.context, signal: around.signal } }, method, params);
  }

  function shared({ id, call }: ModelCall, { parent }: CallSurroundings) {
    return { id, place: { tree, node: parent }, append: false, call_id: call };
  }

  async function perform(call: ModelCall, around: CallSurroundings): Promise<ToolAnswer> {
    const given = { ...shared(call, around), cwd: shell.cwd(), policy };
    switch (toolOf(call, tools)) {
      case 'bash':
        return shell.run(inputOf('bash', call), shared(call, around), around);
      case 'read': {
        const { path, offset = 1, limit = 2_000 } = inputOf('read', call);
        return file('file.read', around, { ...given, path, offset, limit });
      }
      case 'write':
        return file('file.write', around, { ...given, ...inputOf('write', call) });
      case 'edit':
        return file('file.edit', around, { ...given, ...inputOf('edit', call) });
    }
  }

  return {
    onlyLooks: (tool) => tool === 'read',
    async call(call, around) {
      try {
        const { blocks, external } = await perform(call, around);
        return { blocks, external: { ...external, call: { ...external.call, id: call.call } } };
      } catch (error) {
        if (!(error instanceof HubError) || isBeyondModels(error, around.signal)) throw error;
        return failedResult(call, error);
      }
    },
  };
}

/** What a turn may touch. Looking only is the strictest: no grant of anything else makes it wider. */
export function policyFor({ level, grants, project }: Pick<ExecutorParts, 'level' | 'grants' | 'project'>): Policy {
  if (level === 'readonly') {
    return { kind: 'contained', network: grants.network, writable: [], readable: [project] };
  }
  if (grants.unsandboxed) return { kind: 'open' };
  return {
    kind: 'contained',
    network: grants.network,
    writable: [project, ...grants.write_paths],
    readable: null,
  };
}

function toolOf({ tool }: ModelCall, tools: readonly ToolName[]): ToolName {
  const known = tools.find((name) => name === tool);
  if (known !== undefined) return known;
  throw new HubError('invalid_params', `there is no tool ${JSON.stringify(tool)}`, {
    hint: `your tools are: ${tools.join(', ')}`,
  });
}

function inputOf<Tool extends ToolName>(tool: Tool, { input, problem }: ModelCall): Inputs[Tool];
function inputOf(tool: ToolName, { input, problem }: ModelCall): unknown {
  if (problem !== null) throw new HubError('invalid_params', `${tool} was not run: ${problem}`);
  const parsed = TOOL_INPUTS[tool].safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  throw new HubError('invalid_params', `${tool} was not run: ${problems.join('; ')}`);
}

/** What would meet the model again whatever it does, or was no failure at all. */
function isBeyondModels({ kind }: HubError, signal: AbortSignal): boolean {
  return signal.aborted || kind === 'approval_needed' || kind === 'sandbox_unavailable' || kind === 'storage_failed';
}

/** A failure as the model is told it. */
function failedResult({ call, tool, input }: ModelCall, { kind, message, hint }: HubError): CallResult {
  const text = hint === null ? message : `${message} (${hint})`;
  const external: External = {
    call: { tool, input, id: call },
    handle: { source: 'refused', source_version: '1.0.0', identifier: call, metadata: { tool, kind } },
    ...{ output: null, exit_code: 1, signal: null, duration_ms: null, cwd: null },
  };
  const blocks: Block[] = [{ type: 'text', text }];
  return { blocks, external };
}
