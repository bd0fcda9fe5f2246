import { resolve } from 'node:path';
import type { Plugin } from '../../hub/base/plugin.js';
import type { ToolParts } from '../base/tool_parts.js';
import { changeFile } from './change_file.js';
import { createChangeQueue } from './change_queue.js';
import { editChange } from './edit_change.js';
import { realPathOfName } from './path/absolute_path.js';
import { previewChange } from './preview_change.js';
import { createProjectList } from './project/list_project.js';
import { measureProject } from './project/measure_project.js';
import { readOwnCommands } from './project/own_commands.js';
import { readProject } from './project/read_project.js';
import { readFile, SOURCE_VERSION } from './read_file.js';
import { resolveFile } from './resolve_file.js';
import { writeChange } from './write_change.js';

/** Reads, writes and edits files of this machine, within what the policy of each call allows. */
export function createFile(parts: ToolParts): Plugin {
  const queue = createChangeQueue();
  const listProject = createProjectList(parts);
  return {
    name: 'file',
    version: SOURCE_VERSION,
    methods: {
      'file.read': (params, context) => readFile(parts, params, context),
      'file.write': (params, { signal }) =>
        changeFile({ parts, queue, signal }, params, writeChange(params.path, params.content)),
      'file.edit': (params, { signal }) => {
        const { path, old_text: oldText, new_text: newText } = params;
        return changeFile({ parts, queue, signal }, params, editChange({ name: path, oldText, newText }));
      },
      'file.change_preview': (params, { signal }) => previewChange(parts, params, signal),
      'file.command_list': async (params) => readOwnCommands(parts, params),
      'file.path_resolve': async ({ path }) => ({ path: await realPathOfName(resolve(path)) }),
      'file.project_list': listProject,
      'file.project_measure': (params, context) => measureProject(parts, params, context),
      'file.project_read': async (params) => readProject(parts, params),
    },
    resolve: (request, context) => resolveFile(parts, request, context),
  };
}
