import { detach, neverFails } from '../../../hub/base/detach.js';
import { EXIT, reasonOf } from '../../output/failure.js';
import { wholeText } from '../editor/state/buffer.js';
import type { Effect } from '../editor/state/editor_state.js';
import { hasLongLine } from '../editor/state/paste_tokens.js';
import { writtenOutside } from './outside_editor.js';
import { hint, isBusy, putLine, type ScreenState } from './screen_state.js';

/** A second Ctrl-C within this time exits. */
const AGAIN_MS = 1_000;

/** The effects of keys that do not edit. */
export function act(screen: ScreenState, effect: Effect): void {
  const { terminal } = screen.parts;
  switch (effect.kind) {
    case 'submit':
      submit(screen, effect);
      break;
    case 'interrupt':
      interrupt(screen, effect.cleared);
      break;
    case 'take_back':
      screen.actions.put({ kind: 'take_back' });
      break;
    case 'leave':
      screen.actions.put({ kind: 'leave', code: EXIT.ok });
      break;
    case 'escape':
      if (isBusy(screen)) screen.actions.put({ kind: 'stop' });
      else if (screen.input.state().buffer.text === '') screen.alternate.open('viewer');
      else hint(screen, 'Esc does nothing while something is written. Ctrl-C clears it.');
      break;
    case 'edit_outside':
      detach(editOutside(screen), neverFails);
      break;
    case 'redraw':
      terminal.redraw();
      break;
    case 'suspend':
      terminal.suspend();
      break;
    case 'expand':
      screen.alternate.open('last_call');
      break;
    case 'switch_mode':
      screen.alternate.switchPlanning();
      break;
    case 'tab':
      if (screen.status.isCarriedOn && screen.input.state().buffer.text === '') putLine(screen, '/follow', 'now');
      break;
    case 'page':
      break;
  }
}

function submit(screen: ScreenState, { text, content, how }: Extract<Effect, { kind: 'submit' }>): void {
  if (!putLine(screen, text, how === 'queue' ? 'after' : 'now')) {
    screen.input.replace(content);
    hint(screen, 'Too much waits already: send it when some of that is done.');
    return;
  }
  screen.drafts.save(screen.status.tree);
  detach(screen.drafts.sent(content), neverFails);
}

/** Ctrl-C clears the draft, else stops what runs, else exits when pressed twice. */
function interrupt(screen: ScreenState, cleared: boolean): void {
  const nowMs = screen.parts.nowMs();
  if (cleared) hint(screen, 'Cleared. Ctrl-_ brings it back.');
  else if (isBusy(screen)) screen.actions.put({ kind: 'stop' });
  else if (nowMs - screen.interruptedMs < AGAIN_MS) screen.actions.put({ kind: 'leave', code: EXIT.ok });
  else {
    screen.interruptedMs = nowMs;
    hint(screen, 'Ctrl-C once more leaves. The conversation stays.');
  }
}

/** Longer texts return as a placeholder: drawing them would delay keys. */
const OUTSIDE_LENGTH_MAX = 20_000;

async function editOutside(screen: ScreenState): Promise<void> {
  if (screen.isOutside) return;
  screen.isOutside = true;
  try {
    const before = wholeText(screen.input.state().buffer);
    const text = await writtenOutside(screen.parts.terminal, before);
    if (text === null) hint(screen, 'The editor ended with a failure: the message is as it was.');
    // An unchanged message keeps its pastes as placeholders.
    else if (text !== before)
      screen.input.replace([text.length > OUTSIDE_LENGTH_MAX || hasLongLine(text) ? { paste: text } : text]);
  } catch (error) {
    hint(screen, `The message is as it was: ${reasonOf(error)}`);
  } finally {
    screen.isOutside = false;
  }
}
