import { useEffect, useRef } from 'preact/hooks';
import { help } from '../state/view_state.js';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['j k ↓ ↑', 'rows of the tree'],
  ['l h → ←', 'open, fold, to the fork'],
  ['Enter', 'read'],
  ['[ ]', 'the other ways at the fork above'],
  ['c', 'compare: on one branch, then on the other'],
  ['* -', 'open all, fold all'],
  ['/', 'search'],
  ['n', 'to what runs'],
  ['1 2 3 4', 'read, compare, map, cost'],
  ['Esc', 'back'],
];

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-label="Keys"
      onClose={() => {
        help.value = false;
      }}
    >
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="link">
          close
        </button>
      </form>
    </dialog>
  );
}
