import type { Context } from '../command_line/command_context.js';
import { rawOutput } from '../output/raw_output.js';

/**
 * The words of a model on their way to stdout. A terminal is shown them while they come. Otherwise those of a step are held
 * until it is known what they are: before calls they are a remark, which goes to stderr, in the end they are the answer.
 */
export interface AnswerText {
  add(text: string): Promise<void>;
  /** All that was said in the step so far, for who comes in its middle. */
  replace(text: string): Promise<void>;
  /** What was said is no answer: it is told apart from what comes. */
  setAside(): Promise<void>;
  /** What was said does not count. */
  forget(): Promise<void>;
  end(): Promise<void>;
  /** From now on output that cannot be written at once is dropped. */
  hurry(): void;
}

export function answerText(context: Context): AnswerText {
  const streams = context.screen.isTty;
  const out = rawOutput(process.stdout);
  let stepText = '';
  /** What of it has been written. */
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
