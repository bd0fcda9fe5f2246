import { useState } from 'preact/hooks';
import { NONE, numberAt } from '../core/node_table.js';
import { attempt } from '../state/tell_failure.js';
import { columns, focus, leaf, onPath, runningAt, source } from '../state/tree_state.js';

/** Says something at the end of what is read, or at the node that is looked at; shown where the page may write. */
export function Composer() {
  const [text, setText] = useState('');
  const [isFork, setFork] = useState(false);
  const write = source.value?.write ?? null;
  if (write === null || leaf.value === NONE) return null;
  const turn = runningAt.value.get(leaf.value);
  const at = isFork && onPath.value.has(focus.value) ? focus.value : leaf.value;
  const isEnd = numberAt(columns.childCount, at) === 0;
  const steers = turn !== undefined && at === leaf.value;
  const goesOn = isEnd ? 'goes on from here' : 'begins a branch here';
  const words = steers ? 'is told to the turn that runs, after its step' : goesOn;
  const send = (): void => {
    const seq = columns.seq[at] ?? 0;
    if (text.trim() === '') return;
    const say = isEnd ? write.say : write.fork;
    const work = steers ? write.steer(turn.turn, text) : say(seq, text);
    attempt(work, 'It could not be said', () => {
      setText('');
      setFork(false);
    });
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        rows={2}
        value={text}
        placeholder="Say something"
        aria-label="Say something"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div>
        <small>{words}</small>
        <label class="choice">
          <input type="checkbox" checked={isFork} onInput={(event) => setFork(event.currentTarget.checked)} /> fork at
          the chosen message
        </label>
        {turn !== undefined && <StopTurn turn={turn.turn} />}
        <button type="submit" class="say">
          Say
        </button>
      </div>
      <NodeActions />
    </form>
  );
}

/** Ends a turn; shown where the page may write. */
export function StopTurn({ turn }: { turn: string }) {
  const write = source.value?.write ?? null;
  if (write === null) return null;
  return (
    <button type="button" class="stop-turn" onClick={() => attempt(write.stop(turn), 'It could not be stopped')}>
      Stop
    </button>
  );
}

/** Names or archives the node that is looked at. */
function NodeActions() {
  const [name, setName] = useState('');
  const write = source.value?.write ?? null;
  const seq = columns.seq[focus.value];
  if (write === null || seq === undefined) return null;
  return (
    <div class="actions">
      <input
        value={name}
        placeholder="a name for it"
        aria-label="Name of the mark"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button
        type="button"
        class="link"
        onClick={() => attempt(write.mark(seq, name.trim()), 'It could not be marked', () => setName(''))}
      >
        mark the chosen message
      </button>
      <button type="button" class="link" onClick={() => attempt(write.archive(seq), 'It could not be archived')}>
        archive the branch from it on
      </button>
    </div>
  );
}
