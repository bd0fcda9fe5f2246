import { callHub, type InternalCaller } from '../../base/internal_call.js';
import type { ResultOf } from '../../protocol/methods/method_table.js';
import type { SubSessions } from '../sub_sessions/session_call.js';
import type { CallResult, CallSurroundings, ModelCall } from '../tools/model_call.js';
import type { OtherToolName } from '../tools/tool_definitions.js';
import { inputOf } from '../tools/tool_input.js';
import { groupThink } from './consult_group.js';
import type { OtherCall } from './other_call.js';

export interface OtherToolsParts {
  reach: InternalCaller;
  project: string;
  sessions: SubSessions;
}

const SESSIONS_USUAL = 20;
const MESSAGES = 6;
const LARGEST = 10;

/** Runs what a model has others do, or asks about what they did before. */
export async function callOther(
  parts: OtherToolsParts,
  tool: OtherToolName,
  { asking, around }: { asking: OtherCall; around: CallSurroundings },
): Promise<CallResult> {
  const { reach, project, sessions } = parts;
  const { call } = asking;
  const within = { hub: reach.hub, context: { ...reach.context, signal: around.signal } };
  switch (tool) {
    case 'work_with': {
      const { agent: provider, ...input } = inputOf('work_with', call);
      return sessions.run({ ...asking, level: 'minimal', input: { provider, ...input } }, around);
    }
    case 'consult_with': {
      const { model: provider, question: task, session_id } = inputOf('consult_with', call);
      return sessions.run({ ...asking, level: 'readonly', input: { provider, task, session_id } }, around);
    }
    case 'group_think':
      return groupThink(sessions, { asking, input: inputOf('group_think', call) }, around);
    case 'list_sessions': {
      const { limit = SESSIONS_USUAL } = inputOf('list_sessions', call);
      return told(call, listed(await callHub(within, 'history.session_list', { project, limit, cursor: null })));
    }
    case 'describe_session': {
      const { session_id: session } = inputOf('describe_session', call);
      const about = { project, session, messages: MESSAGES };
      return told(call, described(await callHub(within, 'history.session_describe', about)));
    }
    case 'search_project_history': {
      const { query } = inputOf('search_project_history', call);
      const wanted = { project, query, limit: SESSIONS_USUAL, cursor: null };
      return told(call, found(await callHub(within, 'history.search', wanted)));
    }
    case 'count_project_tokens': {
      const { paths = [] } = inputOf('count_project_tokens', call);
      return told(
        call,
        counted(await callHub(within, 'file.project_measure', { folder: project, paths, top: LARGEST })),
      );
    }
  }
}

function listed({ sessions }: ResultOf<'history.session_list'>): string {
  const lines = sessions.map(({ session, title, messages, is_busy: runs }) => {
    return `${session}: ${title} (${messages} messages${runs ? ', runs' : ''})`;
  });
  return lines.length === 0 ? 'There are no sessions in this project.' : lines.join('\n');
}

function described({ session, models, last }: ResultOf<'history.session_describe'>): string {
  const said = last.map(({ role, text }) => `${role}: ${text}`);
  return [`${session}, models: ${models.join(', ')}`, ...said].join('\n\n');
}

function found({ hits }: ResultOf<'history.search'>): string {
  const lines = hits.map(({ session, node, snippet }) => `${session}, node ${node}: ${snippet.replace(/\s+/g, ' ')}`);
  return lines.length === 0 ? 'Nothing was found.' : lines.join('\n');
}

function counted({ tokens, files, largest }: ResultOf<'file.project_measure'>): string {
  return [`about ${tokens} tokens in ${files} files`, ...largest.map((one) => `${one.tokens} ${one.path}`)].join('\n');
}

/** A text as the result of a call. */
function told({ call, tool, input }: ModelCall, text: string): CallResult {
  return {
    blocks: [{ type: 'text', text }],
    external: {
      call: { tool, input, id: call },
      handle: { source: 'history', source_version: '1.0.0', identifier: call, metadata: { tool } },
      ...{ output: null, exit_code: 0, signal: null, duration_ms: null, cwd: null },
    },
  };
}
