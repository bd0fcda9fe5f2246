import type { Look } from '../../render/look/look.js';
import type { Style } from '../../render/look/style.js';
import type { MarkdownStream } from '../../render/markdown/markdown_stream.js';
import { proseRows } from '../../render/text/prose.js';

/** The renderers that are loaded late. */
export interface HeavyDrawing {
  /** One answer. */
  markdown(look: () => Look): MarkdownStream;
  /** The diff of a call that changed a file; empty for other calls. */
  renderChange(call: { tool: string; input: unknown }, look: Look): string[];
}

/** Loads what the first prompt does not need. */
export async function loadDrawing(style: Style, isInWords: boolean): Promise<HeavyDrawing> {
  const [{ streamingMarkdown }, { codeInk }, { renderDiff, renderWritten }] = await Promise.all([
    import('../../render/markdown/markdown_stream.js'),
    import('../../render/node/code_highlight.js'),
    import('../../render/node/diff.js'),
  ]);
  return {
    markdown: (look) =>
      streamingMarkdown({ look, ink: (language) => codeInk(language, style), wrap: isInWords ? proseRows : 'hard' }),
    renderChange({ tool, input }, look) {
      if (input === null || typeof input !== 'object') return [];
      if (tool === 'edit' && 'old_text' in input && 'new_text' in input) {
        return renderDiff({ oldText: String(input.old_text), newText: String(input.new_text) }, look, 'excerpt');
      }
      return tool === 'write' && 'content' in input ? renderWritten(String(input.content), look, 'excerpt') : [];
    },
  };
}
