import type { Plugin } from '../../hub/base/plugin.js';
import type { ToolParts } from '../base/parts.js';
import { changeFile } from './change_file.js';
import { editing } from './edit.js';
import { createTurns } from './one_change_at_a_time.js';
import { readFile, SOURCE_VERSION } from './read.js';
import { resolveFile } from './resolve_file.js';
import { writing } from './write.js';

/** Reads, writes and edits files of this machine, within what the policy of each call allows. */
export function createFile(parts: ToolParts): Plugin {
  const turns = createTurns();
  return {
    name: 'file',
    version: SOURCE_VERSION,
    methods: {
      'file.read': (params, context) => readFile(parts, params, context),
      'file.write': (params, { signal }) =>
        changeFile({ parts, turns, signal }, params, writing(params.path, params.content)),
      'file.edit': (params, { signal }) => {
        const { path, old_text: oldText, new_text: newText } = params;
        return changeFile({ parts, turns, signal }, params, editing({ name: path, oldText, newText }));
      },
    },
    resolve: (wanted, context) => resolveFile(parts, wanted, context),
  };
}
