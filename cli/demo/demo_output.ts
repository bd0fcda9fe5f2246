import { setTimeout as pause } from 'node:timers/promises';
import type { AgentEvent } from '../../hub/protocol/turn.js';
import type { Context } from '../command_line/command_context.js';
import type { Look } from '../render/look/look.js';
import { clean } from '../render/text/clean.js';
import { type TurnOutput, textOutput } from '../turn/turn_output.js';

// Pauses on a terminal, so that a person can follow: between letters of a question, between words of an answer, around calls.
const LETTER_MS = 12;
const WORD_MS = 20;
const LOOK_MS = 350;

/** Shows a conversation on stdout, on a terminal at the pace of a person. */
export interface DemoOutput {
  tell(text: string): Promise<void>;
  /** What the person of the demo says. */
  ask(question: string): Promise<void>;
  /** For one turn. */
  turn(): TurnOutput;
}

/** Shows nothing, for --json. */
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
  // The line of a call belongs to what the demo shows, so it goes to stdout as the answer does.
  const note = (text: string): void => {
    process.stdout.write(`${look.style.tool(clean(text))}\n\n`);
  };
  const endLine = (): void => {
    process.stdout.write('\n');
  };

  return {
    tell: (text) => out.write(`${text}\n`),
    async ask(question) {
      // After Ctrl-C the shell's prompt gets a line of its own.
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
      const output = textOutput({ ...context, note });
      let last = Promise.resolve();
      const show = async (event: AgentEvent): Promise<void> => {
        // The path of the transcript is not part of the conversation.
        if (event.kind !== 'transcript_opened') await output.take(event);
        if (event.kind === 'text_added') await wait(WORD_MS);
        if (event.kind === 'call_started') await wait(LOOK_MS);
      };
      return {
        // Events that arrive together are passed on without waiting: each waits here for the one before.
        take: (event) => {
          last = last.then(() => show(event));
          return last;
        },
        async end(outcome) {
          await last;
          await output.end(outcome);
        },
        hurry() {
          hurried.abort();
          output.hurry();
        },
      };
    },
  };
}
