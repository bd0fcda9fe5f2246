import { NONE } from '../core/node_table.js';
import { indexOf } from '../core/tree_columns.js';
import type { LiveTurn } from '../source/source.js';
import { read, takeBranch } from '../state/moves.js';
import { columns, leaf, running } from '../state/tree_state.js';
import { nowMs } from '../state/view_state.js';
import { seconds, short } from '../state/word_forms.js';
import { StopTurn } from './composer.js';

const TAIL_LENGTH = 90;

/** The turns that run, each in its row; those of a race by the names of their lanes. */
export function Running() {
  const turns = running.value;
  if (turns.length === 0) return <p class="running empty">Nothing is running.</p>;
  return (
    <section class="running" aria-label="Running turns">
      <h3>{turns.length} running</h3>
      {turns.map((turn) => (
        <div class="run" key={turn.turn}>
          <button type="button" onClick={() => show(turn)}>
            <span class="pulse">{turn.activity}</span>{' '}
            <small>
              {turn.lane === null ? turn.model : `${turn.lane} · ${turn.model}`} ·{' '}
              {seconds(nowMs.value - turn.started_at_ms)} · {short(turn.tokens)} tokens
            </small>
            <span class="tail">{doing(turn)}</span>
          </button>
          <StopTurn turn={turn.turn} />
        </div>
      ))}
    </section>
  );
}

function doing({ call, text, questions }: LiveTurn): string {
  if (questions[0] !== undefined) return questions[0].question;
  return call === null ? text.slice(-TAIL_LENGTH) : `${call.tool}: ${call.title}`;
}

function show(turn: LiveTurn): void {
  const node = indexOf(columns, turn.tip);
  if (node === NONE) return;
  takeBranch(node);
  leaf.value = node;
  read(node);
  requestAnimationFrame(() => document.getElementById(`live-${turn.turn}`)?.scrollIntoView({ block: 'center' }));
}
