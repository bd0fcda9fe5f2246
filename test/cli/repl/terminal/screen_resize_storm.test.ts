import { expect, test } from 'vitest';
import { randomFrom } from '../../../gauntlet/extent.js';
import { words } from '../../../hub/agent/turn/turn_calls.js';
import { say } from '../../../support/model/script.js';
import { KEYS, type TestTerminal } from '../../../support/terminal.js';
import { withTalkOnScreen } from '../screen/screen_talk.js';

interface StormResult {
  /** Messages and answers, in order. */
  committed: string[];
  /** The transcript at the end. */
  shown: string[];
}

/** A conversation of so many turns, with keys that are typed while the size changes ten times in each. */
function chatInStorm(
  { seed, turns }: { seed: number; turns: number },
  resize: (terminal: TestTerminal, random: () => number) => Promise<void>,
): Promise<StormResult> {
  return withTalkOnScreen(
    [],
    async ({ terminal, server }) => {
      const random = randomFrom(seed);
      const committed: string[] = [];
      await terminal.waitFor('Commands: /help');
      for (let turn = 1; turn <= turns; turn += 1) {
        const goingOn = 'and goes on '.repeat(between(random, 1, 30));
        const answer = `Answer ${turn} begins ${goingOn}until it ends ${turn}.`;
        server.script(say(words(answer)));
        committed.push(`> message ${turn} is said`, answer);
        const before = terminal.raw().length;
        for (const key of ['', '', `message ${turn} `, '', 'is said', '', KEYS.enter, '', '', '']) {
          await resize(terminal, random);
          terminal.type(key);
        }
        await terminal.waitFor(() => terminal.raw().includes(`until it ends ${turn}.`, before));
        await atRest(terminal);
      }
      terminal.type('/quit', KEYS.enter);
      await terminal.exited;
      return { committed, shown: terminal.transcript() };
      // The terminal wraps, so that it alone decides what a change of its width does.
    },
    { COGNITION_WRAP: 'terminal' },
  );
}

test('a storm of resizes neither loses nor doubles anything in the transcript', async () => {
  const { committed, shown } = await chatInStorm({ seed: 1, turns: 15 }, resizeAndWait);
  expect(withoutGhosts(shown)).toEqual(committed);
});

test.each([2, 3])('resizes faster than drawing lose nothing of it (seed %i)', async (seed) => {
  const { committed, shown } = await chatInStorm({ seed, turns: 20 }, async (terminal, random) => {
    for (let sizes = between(random, 1, 6); sizes > 0; sizes -= 1) resizeAtRandom(terminal, random);
  });
  expect(committed.filter((line) => !shown.includes(line))).toEqual([]);
});

function between(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

function resizeAtRandom(terminal: TestTerminal, random: () => number): void {
  terminal.resize(between(random, 20, 200), between(random, 6, 60));
}

/** Resolves once something has been drawn after the resize. */
async function resizeAndWait(terminal: TestTerminal, random: () => number): Promise<void> {
  const seen = terminal.raw().length;
  resizeAtRandom(terminal, random);
  await terminal.waitFor(() => terminal.raw().length > seen && !terminal.modes().synchronized);
}

/** The beginning of a streaming answer may have been left in a row of its own above the whole answer. */
function withoutGhosts(transcript: string[]): string[] {
  const shown = transcript.filter((line) => /^(> message \d+ is said$|Answer \d+ begins)/.test(line));
  return shown.filter((line, place) => shown[place + 1]?.startsWith(line) !== true);
}

/** In a window of this size a gap stands above the editor, but while a turn runs. */
async function atRest(terminal: TestTerminal): Promise<void> {
  terminal.resize(120, 40);
  await terminal.waitFor((screen) => screen.at(-1)?.startsWith('[ INSERT ]') === true && screen.at(-3) === '');
}
