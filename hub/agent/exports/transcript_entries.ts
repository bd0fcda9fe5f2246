import { blocksOfType } from '../../base/node_blocks.js';
import type { Block, Node } from '../../protocol/node.js';
import type { TranscriptEntry } from '../../protocol/transcript.js';

/** What a transcript tells of a node. Thinking and what a node only points at are not in it. */
export function entriesOf(node: Node): TranscriptEntry[] {
  const timestamp = new Date(node.created_at_ms).toISOString();
  if (node.kind === 'external') return resultEntries(node, timestamp);
  const content = contentOf(node.blocks);
  switch (node.role) {
    case 'root':
      return [];
    case 'user':
      return [{ timestamp, role: 'user', content }];
    case 'summary':
      return [{ timestamp, role: 'user', content: `[Summary of what was said before]\n${content}` }];
    case 'assistant':
      return [
        ...(content === '' ? [] : [{ timestamp, role: 'assistant' as const, content }]),
        ...blocksOfType(node.blocks, 'call').map((block) => callEntry(block, timestamp)),
      ];
  }
}

function callEntry({ id, tool, input }: Extract<Block, { type: 'call' }>, timestamp: string): TranscriptEntry {
  return { timestamp, role: 'tool_call', content: JSON.stringify(input), tool_name: tool, tool_id: id };
}

/** What a person ran has no call in an answer before it: its own stands here. */
function resultEntries({ external, blocks }: Extract<Node, { kind: 'external' }>, timestamp: string) {
  const { tool: tool_name, input, id } = external.call;
  const content = contentOf(blocks);
  if (id !== null) return [{ timestamp, role: 'tool_result' as const, content, tool_name, tool_id: id }];
  const call: TranscriptEntry = { timestamp, role: 'tool_call', content: JSON.stringify(input), tool_name };
  return [call, { timestamp, role: 'tool_result' as const, content, tool_name }];
}

function contentOf(blocks: readonly Block[]): string {
  return blocks.map(blockContent).join('');
}

function blockContent(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return `[image ${block.width}x${block.height} ${block.media_type} ${block.sha256}]`;
    case 'thinking':
    case 'call':
    case 'kept':
      return '';
  }
}
