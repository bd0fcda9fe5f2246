import { detach } from '../../../hub/base/detach.js';
import { reasonOf } from '../../output/failure.js';
import { switchPlanning } from '../commands/plan.js';
import type { Key } from '../editor/keys/key.js';
import { createTypedRun, type TypedRun } from '../editor/keys/typed_run.js';
import type { Repl } from '../repl.js';
import { OPENERS } from './alternate_openers.js';
import type { AlternateName, AlternateParts, OpenScreen } from './alternate_parts.js';

/** The alternate screen: at most one view at a time, which takes all keys. */
export interface Alternate {
  attach(repl: Repl): void;
  open(name: AlternateName): void;
  /** Whether the conversation is hidden. */
  isShown(): boolean;
  /** False when no view is open, so that the key goes to the editor. */
  take(key: Key): boolean;
  changed(): void;
  switchPlanning(): void;
}

interface Showing {
  parts: AlternateParts;
  /** Resolves when there is a conversation. */
  repl: Promise<Repl>;
  isOpen: boolean;
  screen: OpenScreen | null;
  /** Keys typed while no view could take them. */
  waiting: Key[];
  /** The last typed letters, which become text when an unused letter follows. */
  run: TypedRun;
}

const WAITING_KEYS_MAX = 1_000;

export function createAlternate(parts: AlternateParts): Alternate {
  let attach: (repl: Repl) => void = () => undefined;
  const repl = new Promise<Repl>((resolve) => {
    attach = resolve;
  });
  const hint = (error: unknown): void => parts.hint(reasonOf(error));
  const showing: Showing = { parts, repl, isOpen: false, screen: null, waiting: [], run: createTypedRun() };
  return {
    attach: (opened) => attach(opened),
    open: (name) => detach(showOneByOne(showing, name), hint),
    isShown: () => showing.screen !== null,
    take: (key) => showing.isOpen && taken(showing, key),
    changed: () => showing.screen?.changed(),
    switchPlanning() {
      detach(repl.then(switchPlanning), hint);
    },
  };
}

function taken(showing: Showing, key: Key): boolean {
  const { terminal } = showing.parts;
  const name = key.kind === 'key' && key.ctrl ? key.name : '';
  if (name === 'z') terminal.suspend();
  else if (name === 'l') terminal.redraw();
  else if (showing.waiting.length < WAITING_KEYS_MAX) showing.waiting.push(...lettersOf(key));
  showing.run.pressed();
  handOver(showing);
  return true;
}

/** A text may be a key for the open view, followed by keys for the next one. */
function lettersOf(key: Key): Key[] {
  return key.kind === 'text' ? Array.from(key.text, (text) => ({ kind: 'text' as const, text })) : [key];
}

function handOver(showing: Showing): void {
  for (;;) {
    const { screen, waiting } = showing;
    if (screen === null && showing.isOpen) return;
    const key = waiting.shift();
    if (key === undefined) return;
    if (screen === null) showing.parts.type([key, ...waiting.splice(0)]);
    else offer(showing, screen, key);
  }
}

/** An unused letter returns to the editor, with the letters typed before it. */
function offer(showing: Showing, screen: OpenScreen, key: Key): void {
  const { run, waiting } = showing;
  // A space or a colon right after a word ends it.
  const isInWord = key.kind === 'text' && /^[ :]$/.test(key.text) && run.isWord();
  const taken = isInWord ? 'unknown' : screen.take(key);
  if (taken !== 'unknown' || key.kind === 'key') {
    run.add(key, taken);
    return;
  }
  const before = run.take();
  waiting.unshift(...(before === '' ? [] : [{ kind: 'text' as const, text: before }]), key);
  screen.leave();
  showing.screen = null;
}

async function showOneByOne(showing: Showing, first: AlternateName): Promise<void> {
  if (showing.isOpen) return;
  showing.isOpen = true;
  const repl = await showing.repl;
  for (let next: AlternateName | null = first; next !== null; ) {
    next = await showOne(showing, repl, next).catch((error: unknown) => {
      showing.screen = null;
      showing.parts.hint(reasonOf(error));
      return null;
    });
    showing.screen = null;
  }
  showing.isOpen = false;
  showing.run.take();
  showing.parts.left();
  handOver(showing);
}

async function showOne(showing: Showing, repl: Repl, name: AlternateName): Promise<AlternateName | null> {
  const { parts } = showing;
  const leaveScreen = (): void => {
    // Later keys go to the next view.
    showing.screen = null;
    parts.left();
    parts.terminal.leaveScreen();
  };
  const screen = await OPENERS[name]({ ...parts, repl, terminal: { ...parts.terminal, leaveScreen } });
  showing.screen = screen;
  handOver(showing);
  return screen.end;
}
