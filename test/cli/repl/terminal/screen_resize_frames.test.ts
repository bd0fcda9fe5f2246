import { expect, test } from 'vitest';
import { KEYS, withChat } from '../../../support/terminal.js';

// What stands between the marks of synchronised output, and what asks for marked pastes.
const ESC = '\\x1b';
const FRAME = new RegExp(`${ESC}\\[\\?2026h.*?${ESC}\\[\\?2026l`, 'gs');
const PASTE_MODE = new RegExp(`${ESC}\\[\\?2004[hl]`, 'g');

test('all that is drawn is drawn within frames, and what changes nothing writes nothing', async () => {
  await withChat({ args: ['--model', 'demo'] }, async (terminal) => {
    await terminal.waitFor('[ INSERT ]');
    terminal.type('hello', KEYS.enter);
    await terminal.waitFor('I am the demo model');
    await terminal.waitFor((screen) => !screen.join('\n').includes('Esc stops'));
    terminal.resize(60, 20);
    terminal.type(KEYS.escape);
    await terminal.waitFor('[ NORMAL ]');
    terminal.type('q');
    await terminal.waitFor('[ INSERT ]');
    // Moves the cursor where it stands already: nothing is drawn for it.
    terminal.type('a');
    await terminal.waitFor(/^> a$/m);
    const before = terminal.raw().length;
    terminal.type(KEYS.end, KEYS.end, KEYS.control('e'), 'b');
    await terminal.waitFor(/^> ab$/m);
    expect(terminal.raw().slice(before).match(FRAME)).toHaveLength(1);
    expect(terminal.raw().replace(FRAME, '').replace(PASTE_MODE, '')).toBe('');
  });
});
