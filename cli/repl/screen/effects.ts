import { detach, neverFails } from '../../../hub/base/detach.js';
import { EXIT, reasonOf } from '../../output/failure.js';
import { wholeText } from '../editor/state/buffer.js';
import type { Effect } from '../editor/state/editor_state.js';
import { hasLongLine } from '../editor/state/paste_tokens.js';
import { writtenOutside } from './outside_editor.js';
import { hint, isBusy, putLine, type ScreenState } from './screen_state.js';

/** A second Ctrl-C within this time leaves. */
const AGAIN_MS = 1_000;

/** What the keys mean that are not about the text. */
export function act(desk: ScreenState, effect: Effect): void {
  const { terminal } = desk.parts;
  switch (effect.kind) {
    case 'submit':
      submit(desk, effect);
      break;
    case 'interrupt':
      interrupt(desk, effect.cleared);
      break;
    case 'leave':
      desk.actions.put({ kind: 'leave', code: EXIT.ok });
      break;
    case 'escape':
      if (isBusy(desk)) desk.actions.put({ kind: 'stop' });
      else if (desk.input.state().buffer.text === '') desk.alternate.open('viewer');
      else hint(desk, 'Esc does nothing while something is written. Ctrl-C clears it.');
      break;
    case 'edit_outside':
      detach(editOutside(desk), neverFails);
      break;
    case 'redraw':
      terminal.redraw();
      break;
    case 'suspend':
      terminal.suspend();
      break;
    case 'expand':
      desk.alternate.open('last_call');
      break;
    case 'switch_mode':
      desk.alternate.switchPlanning();
      break;
    case 'tab':
    case 'page':
      break;
  }
}

function submit(desk: ScreenState, { text, content, how }: Extract<Effect, { kind: 'submit' }>): void {
  if (!putLine(desk, text, how === 'queue' ? 'after' : 'now')) {
    desk.input.replace(content);
    hint(desk, 'Too much waits already: send it when some of that is done.');
    return;
  }
  desk.drafts.save(desk.status.tree);
  detach(desk.drafts.sent(content), neverFails);
}

/** Ctrl-C: first what is written goes, then what runs is ended, then, twice, one leaves. */
function interrupt(desk: ScreenState, cleared: boolean): void {
  const nowMs = desk.parts.nowMs();
  if (cleared) hint(desk, 'Cleared. Ctrl-_ brings it back.');
  else if (isBusy(desk)) desk.actions.put({ kind: 'stop' });
  else if (nowMs - desk.interruptedMs < AGAIN_MS) desk.actions.put({ kind: 'leave', code: EXIT.ok });
  else {
    desk.interruptedMs = nowMs;
    hint(desk, 'Ctrl-C once more leaves. The conversation stays.');
  }
}

/** What is longer is one sign when it comes back: drawing it would take longer than a key may. */
const OUTSIDE_LENGTH_MAX = 20_000;

async function editOutside(desk: ScreenState): Promise<void> {
  if (desk.isOutside) return;
  desk.isOutside = true;
  try {
    const before = wholeText(desk.input.state().buffer);
    const text = await writtenOutside(desk.parts.terminal, before);
    if (text === null) hint(desk, 'The editor ended with a failure: the message is as it was.');
    // What was only looked at keeps its pastes, each one sign.
    else if (text !== before)
      desk.input.replace([text.length > OUTSIDE_LENGTH_MAX || hasLongLine(text) ? { paste: text } : text]);
  } catch (error) {
    hint(desk, `The message is as it was: ${reasonOf(error)}`);
  } finally {
    desk.isOutside = false;
  }
}
