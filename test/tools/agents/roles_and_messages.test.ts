import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withAgents } from './exchanges.js';

test('a role that may not write changes nothing, whichever agent holds it, and one without commands is started without them', () =>
  withAgents(async ({ root, exchange, project, home }) => {
    mkdirSync(join(home, 'roles'), { recursive: true });
    writeFileSync(join(home, 'roles', 'looker.md'), '---\ntools: read, bash\n---\nYou look.');
    writeFileSync(join(home, 'roles', 'writer.md'), '---\ntools: read, write\n---\nYou write.');
    for (const agent of ['claude', 'codex']) {
      const { text, fault } = await exchange(agent, [root, '[[tool:touch x.txt]]'], { role: 'looker' });
      expect(fault).toBeNull();
      expect(text).toContain('Read-only file system');
    }
    expect(existsSync(join(project, 'x.txt'))).toBe(false);
    const words = await exchange('claude', [root, '[[tool:tr "\\\\0" " " < /proc/$PPID/cmdline]]'], { role: 'writer' });
    expect(words.text).toContain('--disallowedTools Bash');
    const { events } = await exchange('codex', [root, 'hello'], { role: 'writer' });
    expect(JSON.stringify(events)).toContain('nothing but its words keeps codex from that');
  }));

test('what one agent leaves for another is told to that when it works next, once, and to the person at once', () =>
  withAgents(async ({ root, exchange }) => {
    const leave =
      'echo mind the gap > $COGNITION_MESSAGE_DIR/1-to-codex.md; ln -s /etc/passwd $COGNITION_MESSAGE_DIR/2-to-codex.md';
    const first = await exchange('claude', [root, `[[tool:${leave}]]`]);
    expect(JSON.stringify(first.events)).toContain('it left a message for codex: mind the gap');
    const second = await exchange('codex', [root, 'hello']);
    expect(second.text).toMatch(/mind the gap[\s\S]*hello/);
    expect(second.text).not.toContain('root:');
    expect((await exchange('codex', [root, 'again'])).text).not.toContain('mind the gap');
    expect((await exchange('claude', [root, 'and me?'])).text).not.toContain('mind the gap');
  }));
