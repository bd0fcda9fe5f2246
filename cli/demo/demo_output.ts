import { setTimeout as pause } from 'node:timers/promises';
import type { AgentEvent } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import type { Look } from '../render/look/look.js';
import { clean } from '../render/text/clean.js';
import { type TurnOutput, textOutput } from '../turn/turn_output.js';

// So that a person can follow it on a terminal: between the letters of a question, the words of an answer, and around
// what is done.
const LETTER_MS = 12;
const WORD_MS = 20;
const LOOK_MS = 350;

/** Shows a conversation as if somebody had it just now: all of it on stdout, and at a person's pace on a terminal. */
export interface DemoOutput {
  tell(text: string): Promise<void>;
  /** What the person of the demo says. */
  ask(question: string): Promise<void>;
  /** For one turn. */
  turn(): TurnOutput;
}

/** Shows nothing: for who wants the data alone. */
export const SILENT: DemoOutput = {
  tell: async () => undefined,
  ask: async () => undefined,
  turn: () => ({ take: async () => undefined, end: async () => undefined, hurry: () => undefined }),
};

export function demoOutput(context: Context, look: Look): DemoOutput {
  const { out, screen } = context;
  const hurried = new AbortController();
  const wait = async (ms: number): Promise<void> => {
    const { signal } = hurried;
    if (screen.isTty && !signal.aborted) await pause(ms, undefined, { signal }).catch(() => undefined); // hurried
  };
  // A tool's line is a part of what is shown here, so it goes the same way as the answer.
  const note = (text: string): void => {
    process.stdout.write(`${look.style.tool(clean(text))}\n\n`);
  };
  const endLine = (): void => {
    process.stdout.write('\n');
  };

  return {
    tell: (text) => out.write(`${text}\n`),
    async ask(question) {
      // Whoever ends it here gets the shell's prompt on a line of its own.
      process.once('exit', endLine);
      await wait(LOOK_MS);
      await out.write('\n> ');
      for (const letter of screen.isTty ? question : [question]) {
        await out.write(look.style.user(letter));
        await wait(LETTER_MS);
      }
      await out.write('\n\n');
      await wait(LOOK_MS);
      process.off('exit', endLine);
    },
    turn() {
      const shown = textOutput({ ...context, note });
      let last = Promise.resolve();
      const show = async (event: AgentEvent): Promise<void> => {
        // Where it is written down is no part of the conversation that is shown.
        if (event.kind !== 'transcript_opened') await shown.take(event);
        if (event.kind === 'text_added') await wait(WORD_MS);
        if (event.kind === 'call_started') await wait(LOOK_MS);
      };
      return {
        // Events that have arrived already are handed over together: each waits here for the one before.
        take: (event) => {
          last = last.then(() => show(event));
          return last;
        },
        async end(outcome) {
          await last;
          await shown.end(outcome);
        },
        hurry() {
          hurried.abort();
          shown.hurry();
        },
      };
    },
  };
}
