import type { HubCalls, HubResolve, Plugin } from '../base/plugin.js';
import { describeSession } from './describe_session.js';
import { listSessions } from './list_sessions.js';
import { openSession } from './open_session.js';
import { searchProject } from './search_project.js';

interface HistoryParts {
  version: string;
  newId(): string;
}

/** What was said in a project, by sessions. */
export function createHistory(hub: HubCalls & HubResolve, { version, newId }: HistoryParts): Plugin {
  return {
    name: 'history',
    version,
    methods: {
      'history.session_open': (params, context) => openSession({ hub, context }, params, newId),
      'history.session_list': (params, context) => listSessions({ hub, context }, params),
      'history.session_describe': (params, context) => describeSession({ hub, context }, params),
      'history.search': (params, context) => searchProject({ hub, context }, params),
    },
  };
}
