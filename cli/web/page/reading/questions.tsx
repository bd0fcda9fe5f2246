import { useState } from 'preact/hooks';
import type { LiveTurn, TurnQuestion } from '../source/source.js';
import { attempt } from '../state/tell_failure.js';
import { source } from '../state/tree_state.js';

/** What a turn asks a person. Where the page only reads, the question alone. */
export function Questions({ turn }: { turn: LiveTurn }) {
  return (
    <>
      {turn.questions.map((question) => (
        <QuestionForm key={question.id} turn={turn.turn} question={question} />
      ))}
    </>
  );
}

function QuestionForm({ turn, question }: { turn: string; question: TurnQuestion }) {
  const [text, setText] = useState('');
  const write = source.value?.write ?? null;
  const answer = (words: string): void => {
    if (write === null || words.trim() === '') return;
    attempt(write.answer(turn, { question: question.id, text: words }), 'The answer could not be given');
  };
  return (
    <div class="question">
      <p>{question.question}</p>
      {write === null && <p class="hint">It is answered in the terminal: this page only reads.</p>}
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
