import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { callEnd } from '../../../../hub/base/call_end.js';
import { callText } from '../../../../hub/base/call_title.js';
import { paper } from '../state/view_state.js';
import { count, seconds } from '../state/word_forms.js';
import { changedLines, changeSize } from '../text/changed_lines.js';
import { Difference } from '../text/difference.js';
import { inked, languageOf } from '../text/ink.js';
import type { CallNode } from './call_node.js';
import { inputField, saidBy } from './said_text.js';

const OPEN_LINES_MAX = 14;
const SHOWN_LINES = 60;
const TOLD_FROM_MS = 100;

/** A call in one row; unfolded with what it did. */
export function Call({ node, tags }: { node: CallNode; tags: ComponentChildren }) {
  const { call, duration_ms: durationMs } = node.external;
  const end = callEnd(node.external);
  const change = changeOf(node);
  const isSmall = change === null ? end.failed : change.length <= OPEN_LINES_MAX;
  const [isChosen, choose] = useState(isSmall);
  const title = callText(call.input) ?? '';
  const [head = ''] = title.split('\n');
  return (
    <details
      class={`call ${end.failed ? 'failed' : ''}`}
      id={`n${node.seq}`}
      open={isChosen || (paper.value && isInBrowser())}
      onToggle={(event) => choose(event.currentTarget.open)}
    >
      <summary>
        <Icon tool={call.tool} />
        <b>{nameOf(node)}</b> <code class="argument">{head.length < title.length ? `${head} …` : head}</code>
        {tags}
        <span class="facts">
          {change !== null && <ChangeSize {...changeSize(change)} />}
          {end.failed && <span class="bad">{end.how ?? 'failed'}</span>}
          {!end.failed && change === null && <Lines text={writtenBy(node) ?? saidBy(node)} />}
          {durationMs !== null && durationMs >= TOLD_FROM_MS && <span>{seconds(durationMs)}</span>}
        </span>
      </summary>
      {(isChosen || paper.value) && <Inside node={node} title={title} />}
    </details>
  );
}

/** With whose it is, where a person of another hub has run it. */
function nameOf({ by, step, external: { call } }: CallNode): string {
  return by === undefined || step !== null ? call.tool : `${call.tool} (${by})`;
}

/** What is written into the file for those without script stays folded: they can open it. */
function isInBrowser(): boolean {
  return typeof document !== 'undefined';
}

/** What a call has written into a file; null for any other call. */
function writtenBy({ external }: CallNode): string | null {
  const { tool, input } = external.call;
  return tool === 'write' && !callEnd(external).failed ? inputField(input, 'content') : null;
}

function changeOf(node: CallNode) {
  const { external } = node;
  const { tool, input } = external.call;
  // The tool says where in the file it was; tools of others do not.
  const [, line] = / lines at line (\d+)\]$/.exec(saidBy(node).split('\n', 1)[0] ?? '') ?? [];
  const firstLine = line === undefined ? null : Number(line);
  const before = tool === 'edit' ? inputField(input, 'old_text') : null;
  const after = inputField(input, 'new_text');
  return before === null || after === null || callEnd(external).failed ? null : changedLines(before, after, firstLine);
}

function Inside({ node, title }: { node: CallNode; title: string }) {
  const { tool, input } = node.external.call;
  const path = inputField(input, 'path') ?? '';
  const change = changeOf(node);
  return (
    <div class="inside">
      {title.includes('\n') && <pre class="command">{inked(title, 'bash')}</pre>}
      {change !== null && <Difference lines={change} path={path} />}
      {change === null && <Output text={writtenBy(node) ?? saidBy(node)} path={tool === 'bash' ? '' : path} />}
    </div>
  );
}

function Output({ text, path }: { text: string; path: string }) {
  const lines = text.replace(/\n$/, '').split('\n');
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && !paper.value && lines.length > SHOWN_LINES;
  if (text.trim() === '') return <p class="none">no output</p>;
  return (
    <>
      <pre class="out" tabIndex={0}>
        {inked(isCut ? lines.slice(0, SHOWN_LINES).join('\n') : text, languageOf(path))}
      </pre>
      {isCut && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          {count(lines.length - SHOWN_LINES, 'more line')}
        </button>
      )}
    </>
  );
}

export function ChangeSize({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="delta">
      <ins>+{added}</ins> <del>−{removed}</del>
    </span>
  );
}

function Lines({ text }: { text: string }) {
  return text === '' ? null : <span>{count(text.replace(/\n$/, '').split('\n').length, 'line')}</span>;
}

const ICONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ask_user: 'M6 6a2 2 0 1 1 3 2c-1 .5-1 1-1 2M8 13v.1',
    bash: 'M3 4l4 4-4 4M8 12h5',
    edit: 'M3 13l1-3 6-6 2 2-6 6zM3 13h10',
    fetch: 'M8 2v9M4 8l4 4 4-4',
    query: 'M3 4h10v8H3zM3 7h10',
    read: 'M3 4h10M3 8h10M3 12h6',
    spawn_session: 'M3 3h6v6H3zM7 11h6V5',
    write: 'M8 3v10M3 8h10',
  }),
);

function Icon({ tool }: { tool: string }) {
  return (
    <svg class="icon" width="15" height="15" viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS.get(tool) ?? 'M4 8h.1M8 8h.1M12 8h.1'} class="icon-path" />
    </svg>
  );
}
