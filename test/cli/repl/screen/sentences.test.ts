import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Key } from '../../../../cli/repl/editor/keys/key.js';
import { type NavigatorAction, pressKey } from '../../../../cli/repl/navigator/navigator_keys.js';
import { type Navigation, openNavigation } from '../../../../cli/repl/navigator/navigator_state.js';
import { createTreeShape } from '../../../../cli/repl/navigator/tree_shape.js';
import { type Around, pressed, type ViewerAction } from '../../../../cli/repl/viewer/viewer_keys.js';
import { EMPTY_VIEW, type Rows, type Viewing } from '../../../../cli/repl/viewer/viewport.js';

const letterKey = (text: string): Key => ({ kind: 'text', text });

const ROWS: Rows = { height: 5, width: 40, of: () => [], gap: () => 0, marks: () => new Map(), hits: () => [] };
const AROUND: Around = {
  rows: ROWS,
  completion: { commands: [], files: () => [], arguments: () => [] },
  history: { '/': [], ':': [] },
  modes: { network: false, isPlanning: false, thinking: null },
};

/** What a sentence asks for in the viewer, up to where it leaves it; `answers` makes each question ready at once. */
function asksOfViewer(sentence: string, answers: boolean): ViewerAction[] {
  const actions: ViewerAction[] = [];
  let view: Viewing = EMPTY_VIEW;
  for (const letter of sentence) {
    const step = pressed(view, letterKey(letter), AROUND);
    view = step.view;
    if (answers && view.asking !== null) view = { ...view, asking: { ...view.asking, isReady: true } };
    if (step.action === null) continue;
    actions.push(step.action);
    if (['leave', 'text'].includes(step.action.kind)) break;
  }
  return actions;
}

function smallTree(): Navigation {
  const shape = createTreeShape();
  shape.add({ seq: [1, 1, 1, 1], parent: [0, 1, 1, 2], kind: 'ruaa', at: [1, 1, 1, 1], archived: [], ranks: [] });
  return openNavigation({ shape, partial: null, position: 1, preferred: 1 });
}

function asksOfNavigator(sentence: string, answers: boolean): NavigatorAction[] {
  const actions: NavigatorAction[] = [];
  let state = smallTree();
  for (const letter of sentence) {
    const step = pressKey(state, letterKey(letter), 10);
    state = step.state;
    if (answers && state.asking !== null) state = { ...state, asking: { ...state.asking, isReady: true } };
    if (step.action === null) continue;
    actions.push(step.action);
    if (['leave', 'text'].includes(step.action.kind)) break;
  }
  return actions;
}

// The letters that mean something come most often: a sentence of them is the hardest.
const sign = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...' jkgGdunN?[]yqinxcpeatlhzfm.') },
  { weight: 1, arbitrary: fc.constantFrom(...'bors,!äßé数据测试のА') },
);
const sentence = fc.array(sign, { maxLength: 30 }).map((signs) => signs.join(''));

/** What only shows something, or goes back to writing. */
const HARMLESS = ['leave', 'text', 'first', 'last', 'search', 'leader agents', 'leader navigator', 'reveal'];
const named = (action: ViewerAction | NavigatorAction): string =>
  action.kind === 'leader' ? `leader ${action.leader}` : action.kind;

test('no sentence that is typed without a pause does anything in the viewer but scroll and show', () => {
  fc.assert(
    fc.property(sentence, (typed) => {
      // Twice the same key is how one copies.
      fc.pre(!typed.includes('yy'));
      for (const action of asksOfViewer(typed, false)) expect(HARMLESS).toContain(named(action));
    }),
    { numRuns: 20_000 },
  );
});

test('no sentence that is typed without a pause does anything in the navigator but walk and show', () => {
  fc.assert(
    fc.property(sentence, (typed) => {
      for (const action of asksOfNavigator(typed, false)) expect(HARMLESS).toContain(named(action));
    }),
    { numRuns: 20_000 },
  );
});

test('the control: where each question counts as read, the same sentences act', () => {
  expect(asksOfViewer(' ny', true)).toContainEqual({ kind: 'leader', leader: 'network' });
  expect(asksOfViewer(' xy', true)).toContainEqual({ kind: 'leader', leader: 'execute' });
  expect(asksOfViewer(' cy', true)).toContainEqual({ kind: 'leader', leader: 'clear' });
  expect(asksOfNavigator('ey', true)).toContainEqual({ kind: 'edit', index: 1 });
  expect(asksOfNavigator('xy', true)).toContainEqual({ kind: 'archive', index: 1 });
});
