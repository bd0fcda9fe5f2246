import type { LiveTurn } from '../source/source.js';
import { nowMs } from '../state/view_state.js';
import { money, seconds, short } from '../state/word_forms.js';
import { GrowingMarkdown } from '../text/markdown.js';
import { Questions } from './questions.js';

/** What a turn says just now. */
export function LiveMessage({ turn }: { turn: LiveTurn }) {
  return (
    <article class="message assistant live" id={`live-${turn.turn}`} aria-busy="true" aria-label="being written">
      <header>
        <b>{turn.model}</b>
        {turn.by !== null && <span>{turn.by}'s hub is working here</span>}
        <span class="pulse">
          {turn.activity} {seconds(nowMs.value - turn.started_at_ms)}
        </span>
        {turn.by === null && (
          <span class="facts">
            <span>{short(turn.tokens)} tokens</span>
            <span>{money(turn.price_microdollars)}</span>
          </span>
        )}
      </header>
      {turn.text !== '' && <GrowingMarkdown text={turn.text} />}
      {turn.call !== null && (
        <div class="calls">
          <div class="call runs">
            <b>{turn.call.tool}</b> <code class="argument">{turn.call.title}</code>
          </div>
        </div>
      )}
      <Questions turn={turn} />
      {turn.questions.length === 0 && <span class="caret" aria-hidden="true" />}
    </article>
  );
}
