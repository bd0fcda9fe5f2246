import type { Context } from '../command_line/command_context.js';
import { rawOutput } from '../output/raw_output.js';

/**
 * Writes a model's text to stdout, as it streams or held back. The text of a step that is held until its role is known
 * goes to stderr when calls follow it, as a remark; at the end of the turn it is the answer.
 */
export interface AnswerText {
  add(text: string): Promise<void>;
  /** Sets the whole text of the step so far, for a client that joins in its middle. */
  replace(text: string): Promise<void>;
  /** Ends the text so far as a remark, not the answer. */
  setAside(): Promise<void>;
  /** Drops the text so far: the answer starts again. */
  forget(): Promise<void>;
  end(): Promise<void>;
  /** From now on output that cannot be written at once is dropped. */
  hurry(): void;
}

export function answerText(context: Context, streams: boolean): AnswerText {
  const out = rawOutput(process.stdout);
  let stepText = '';
  /** The part of it that has been written. */
  let written = '';

  async function show(): Promise<void> {
    const rest = stepText.slice(written.length);
    written = stepText;
    if (rest !== '') await out.write(Buffer.from(rest));
  }

  async function forget(): Promise<void> {
    const needsLineEnd = written !== '' && !written.endsWith('\n');
    stepText = '';
    written = '';
    if (needsLineEnd) await out.write(Buffer.from('\n'));
  }

  return {
    async add(text) {
      stepText += text;
      if (streams) await show();
    },
    async replace(text) {
      if (!text.startsWith(written)) await forget();
      stepText = text;
      if (streams) await show();
    },
    async setAside() {
      if (written === '' && stepText.trim() !== '') context.note(stepText.trim());
      await forget();
    },
    forget,
    async end() {
      await show();
      await forget();
      await out.end();
    },
    hurry: out.hurry,
  };
}
