import { detach } from '../../../hub/base/detach.js';
import { reasonOf } from '../../output/failure.js';
import { switchPlanning } from '../commands/plan.js';
import type { Key } from '../editor/keys/key.js';
import type { Repl } from '../repl.js';
import { OPENERS } from './alternate_openers.js';
import type { AlternateName, AlternateParts, OpenScreen } from './alternate_parts.js';

/** What is shown on the alternate screen: at most one thing at a time, which all keys are for. */
export interface Alternate {
  attach(repl: Repl): void;
  open(name: AlternateName): void;
  /** Whether the conversation is out of sight. */
  isShown(): boolean;
  /** False when nothing is open, so that the key is for the editor. */
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
  /** What was typed while nothing was there to take it. */
  waiting: Key[];
}

const WAITING_KEYS_MAX = 1_000;

export function createAlternate(parts: AlternateParts): Alternate {
  let attach: (repl: Repl) => void = () => undefined;
  const repl = new Promise<Repl>((resolve) => {
    attach = resolve;
  });
  const hint = (error: unknown): void => parts.hint(reasonOf(error));
  const showing: Showing = { parts, repl, isOpen: false, screen: null, waiting: [] };
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
  handOver(showing);
  return true;
}

/** What comes as one text may be a key for what is open, and then something for what is there after it. */
function lettersOf(key: Key): Key[] {
  return key.kind === 'text' ? Array.from(key.text, (text) => ({ kind: 'text' as const, text })) : [key];
}

function handOver(showing: Showing): void {
  for (;;) {
    const { screen, waiting } = showing;
    if (screen === null && showing.isOpen) return;
    const key = waiting.shift();
    if (key === undefined) return;
    if (screen === null) showing.parts.type(key);
    else screen.take(key);
  }
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
  showing.parts.left();
  handOver(showing);
}

async function showOne(showing: Showing, repl: Repl, name: AlternateName): Promise<AlternateName | null> {
  const { parts } = showing;
  const leaveScreen = (): void => {
    // What is typed from here on is for what is there next.
    showing.screen = null;
    parts.left();
    parts.terminal.leaveScreen();
  };
  const screen = await OPENERS[name]({ ...parts, repl, terminal: { ...parts.terminal, leaveScreen } });
  showing.screen = screen;
  handOver(showing);
  return screen.end;
}
