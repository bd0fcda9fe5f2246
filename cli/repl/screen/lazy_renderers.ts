import type { Look } from '../../render/look/look.js';
import type { Style } from '../../render/look/style.js';
import type { MarkdownStream } from '../../render/markdown/markdown_stream.js';
import { inWords, proseRows } from '../../render/text/prose.js';

/** How the heavier things are drawn. */
export interface HeavyDrawing {
  /** One answer. */
  markdown(look: () => Look): MarkdownStream;
  /** What is said, with line breaks between its words where the person wants them. */
  prose(text: string, look: Look): string;
  /** What a call has changed, where that says more than what it gave; empty for other calls. */
  renderChange(call: { tool: string; input: unknown }, look: Look): string[];
}

/** Loads what is not needed for the first prompt: an answer comes later than that. */
export async function loadDrawing(style: Style, wrap: string): Promise<HeavyDrawing> {
  const [{ streamingMarkdown }, { codeInk }, { renderDiff, renderWritten }] = await Promise.all([
    import('../../render/markdown/markdown_stream.js'),
    import('../../render/node/code_highlight.js'),
    import('../../render/node/diff.js'),
  ]);
  const isInWords = wrap === 'words';
  return {
    markdown: (look) =>
      streamingMarkdown({ look, ink: (language) => codeInk(language, style), prose: isInWords ? proseRows : null }),
    prose: (text, look) => (isInWords ? inWords(text, look) : text),
    renderChange({ tool, input }, look) {
      if (input === null || typeof input !== 'object') return [];
      if (tool === 'edit' && 'old_text' in input && 'new_text' in input) {
        return renderDiff({ oldText: String(input.old_text), newText: String(input.new_text) }, look, 'excerpt');
      }
      return tool === 'write' && 'content' in input ? renderWritten(String(input.content), look, 'excerpt') : [];
    },
  };
}
