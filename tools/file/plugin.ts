import type { Plugin } from '../../hub/plugin.js';
import type { ToolParts } from '../parts.js';
import { changeFile } from './changing.js';
import { editing } from './edit.js';
import { readFile, SOURCE_VERSION } from './read.js';
import { resolveFile } from './resolve.js';
import { createTurns } from './turns.js';
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
