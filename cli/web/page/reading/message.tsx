import type { ComponentChildren } from 'preact';
import { imageLabel } from '../../../../hub/base/node_blocks.js';
import type { Node } from '../../../../hub/protocol/node.js';
import type { NodeCost } from '../source/source.js';
import { marks } from '../state/tree_state.js';
import { paper } from '../state/view_state.js';
import { money } from '../state/word_forms.js';
import { CopyButton } from '../text/code.js';
import { Markdown } from '../text/markdown.js';
import { memo } from '../text/memo.js';
import { Call } from './call.js';
import { imagesOf, isSilent, saidBy, thoughtBy } from './said_text.js';

const SPEAKERS = { root: '', user: 'You', assistant: 'Assistant', summary: 'Summary', tool: '' } as const;

/** One node as it is read: what a person said, an answer, a call with what it did. */
export const Message = memo(({ node, cost }: { node: Node; cost: NodeCost | undefined }) => {
  const names = marks.value.get(node.seq) ?? [];
  const tags = names.length > 0 && <Tags names={names} />;
  if (node.damaged) return <p class="damaged">A node is damaged: what it said is not shown.</p>;
  if (node.kind === 'external') return <Call node={node} tags={tags} />;
  if (isSilent(node)) return null;
  const said = saidBy(node);
  const thought = thoughtBy(node);
  return (
    <article class={`message ${node.role}`} id={`n${node.seq}`} aria-label={SPEAKERS[node.role]}>
      <header>
        <b>{speakerOf(node, cost)}</b>
        {tags}
        <span class="facts">
          {said !== '' && <CopyButton text={said} />}
          <Time ms={node.created_at_ms} />
          {cost !== undefined && <span title={tokensOf(cost)}>{money(cost.price_microdollars)}</span>}
        </span>
      </header>
      {thought !== '' && (
        <details class="thought" open={paper.value && typeof document !== 'undefined'}>
          <summary>thought</summary>
          <p>{thought}</p>
        </details>
      )}
      {said !== '' && (node.role === 'user' ? <div class="said">{said}</div> : <Markdown text={said} />)}
      {imagesOf(node).map((image) => (
        <p class="raw" key={image.sha256}>
          {imageLabel(image)}
        </p>
      ))}
    </article>
  );
});

function speakerOf({ role, by }: Node, cost: NodeCost | undefined): string {
  if (by !== undefined) return role === 'user' ? by : `${SPEAKERS[role]} (${by})`;
  return role === 'assistant' ? (cost?.model ?? SPEAKERS.assistant) : SPEAKERS[role];
}

function Tags({ names }: { names: readonly string[] }): ComponentChildren {
  return (
    <span class="tags">
      {names.map((name) => (
        <span class="tag" key={name}>
          ◆ {name}
        </span>
      ))}
    </span>
  );
}

function Time({ ms }: { ms: number }) {
  const iso = new Date(ms).toISOString();
  return (
    <time dateTime={iso} title={iso.slice(0, 16).replace('T', ' ')}>
      {iso.slice(11, 16)}
    </time>
  );
}

function tokensOf({ tokens_in, tokens_out, tokens_cached }: NodeCost): string {
  const words = (number: number): string => number.toLocaleString('en');
  return `${words(tokens_in)} tokens in, ${words(tokens_cached)} of them cached; ${words(tokens_out)} out`;
}
