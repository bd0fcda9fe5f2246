import { useState } from 'preact/hooks';
import type { LiveTurn, TurnQuestion } from '../source/source.js';
import { attempt } from '../state/tell_failure.js';
import { source } from '../state/tree_state.js';

/** What a turn asks a person. Where the page only reads, the question alone. */
export function Questions({ turn }: { turn: LiveTurn }) {
  return (
    <>
      {turn.questions.map((question) => (
        <QuestionForm key={question.id} turn={turn} question={question} />
      ))}
    </>
  );
}

function QuestionForm({ turn: { turn, by }, question }: { turn: LiveTurn; question: TurnQuestion }) {
  const [text, setText] = useState('');
  // What may run is decided where it runs.
  const isThere = by !== null && question.kind !== 'question';
  const write = isThere ? null : (source.value?.write ?? null);
  const answer = (words: string): void => {
    if (write === null || words.trim() === '') return;
    attempt(write.answer(turn, { question: question.id, text: words }), 'The answer could not be given');
  };
  return (
    <div class="question">
      <p>{question.question}</p>
      {isThere && <p class="hint">It is a permission, which is given at {by}.</p>}
      {write === null && !isThere && <p class="hint">It is answered in the terminal: this page only reads.</p>}
      {write !== null && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            answer(text);
          }}
        >
          {question.options.map((option) => (
            <button type="button" class="option" key={option} onClick={() => answer(option)}>
              {option}
            </button>
          ))}
          <input value={text} onInput={(event) => setText(event.currentTarget.value)} aria-label="Your answer" />
          <button type="submit">Answer</button>
        </form>
      )}
    </div>
  );
}
