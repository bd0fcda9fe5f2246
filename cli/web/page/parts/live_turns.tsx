import { NONE } from '../core/node_table.js';
import { indexOf } from '../core/tree_columns.js';
import { ChangeSize } from '../reading/call.js';
import type { LiveTurn, RaceLane } from '../source/source.js';
import { read, takeBranch } from '../state/moves.js';
import { columns, lanes, leaf, running } from '../state/tree_state.js';
import { nowMs } from '../state/view_state.js';
import { count, money, seconds, short } from '../state/word_forms.js';
import { StopTurn } from './composer.js';

const TAIL_LENGTH = 90;
const STATES: Readonly<Record<RaceLane['state'], string>> = {
  ...{ starting: 'starting', running: 'works', waiting: 'waits for a person', done: 'done' },
  ...{ stopped: 'at its limit', interrupted: 'stopped', failed: 'failed' },
};

/** The turns that run, each in its row; those of a race on its board. */
export function Running() {
  const board = lanes.value.length > 1 ? lanes.value : [];
  const others = running.value.filter(({ turn }) => board.every((lane) => lane.turn !== turn));
  if (others.length === 0 && board.length === 0) return <p class="running empty">Nothing is running.</p>;
  return (
    <section class="running" aria-label="Running turns">
      {board.length > 0 && <Race board={board} />}
      {others.length > 0 && <h3>{others.length} running</h3>}
      {others.map((turn) => (
        <div class="run" key={turn.turn}>
          <button type="button" onClick={() => show(turn)}>
            <span class="pulse">{turn.activity}</span>{' '}
            <small>
              {turn.by !== null && `${turn.by} · `}
              {turn.model} · {seconds(nowMs.value - turn.started_at_ms)}
              {turn.by === null && ` · ${short(turn.tokens)} tokens`}
            </small>
            <span class="tail">{doing(turn)}</span>
          </button>
          <StopTurn turn={turn.turn} />
        </div>
      ))}
    </section>
  );
}

/** The newest race: how each lane stands, folded once it is over. */
function Race({ board }: { board: readonly RaceLane[] }) {
  const isOver = board.every(({ isUnderWay, state }) => !isUnderWay && state !== 'waiting');
  return (
    <details class="race" open={!isOver}>
      <summary>
        {isOver ? 'The last race' : 'A race'}: {count(board.length, 'lane')}
      </summary>
      {board.map((lane) => (
        <LaneRow key={lane.turn} lane={lane} turn={running.value.find(({ turn }) => turn === lane.turn)} />
      ))}
    </details>
  );
}

function LaneRow({ lane, turn }: { lane: RaceLane; turn: LiveTurn | undefined }) {
  const { number, label, state, files, added, removed, tokens, price_microdollars: price } = lane;
  return (
    <div class="run">
      <button type="button" onClick={() => show(lane)}>
        <span class={turn === undefined ? undefined : 'pulse'}>
          {number}. {label}
        </span>{' '}
        <small>
          {[STATES[state], checkWords(lane), files === 0 ? '' : count(files, 'file')].filter(Boolean).join(' · ')}{' '}
          {files > 0 && <ChangeSize added={added} removed={removed} />}{' '}
          {[
            tokens === 0 ? '' : `${short(tokens)} tokens`,
            price === null ? '' : money(price),
            seconds(lane.seconds * 1_000),
          ]
            .filter(Boolean)
            .join(' · ')}
        </small>
        {turn !== undefined && <span class="tail">{doing(turn)}</span>}
      </button>
      {turn !== undefined && <StopTurn turn={turn.turn} />}
    </div>
  );
}

function checkWords({ check, hasCheck, state }: RaceLane): string {
  if (check === null) return hasCheck && state === 'done' ? 'checks' : '';
  return check === 0 ? 'check ok' : `check failed: ${check}`;
}

function doing({ call, text, questions }: LiveTurn): string {
  if (questions[0] !== undefined) return questions[0].question;
  return call === null ? text.slice(-TAIL_LENGTH) : `${call.tool}: ${call.title}`;
}

/** Goes to where a turn writes, or has written. */
function show({ tip, turn }: Pick<LiveTurn, 'tip' | 'turn'>): void {
  const node = indexOf(columns, tip);
  if (node === NONE) return;
  takeBranch(node);
  leaf.value = node;
  read(node);
  requestAnimationFrame(() => document.getElementById(`live-${turn}`)?.scrollIntoView({ block: 'center' }));
}
