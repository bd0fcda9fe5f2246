import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fileLister } from '../../../../cli/repl/editor/completion/file_list.js';
import { openFileSource } from '../../../../cli/repl/editor/completion/file_source.js';
import { withHub } from '../../../support/hub.js';

test('the list is read when it is first asked for, and again when it is old', async () => {
  await withHub(async ({ client, home }) => {
    const folder = join(dirname(home), 'project');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.ts'), '');
    let nowMs = 0;
    let tell: () => void = () => undefined;
    const changed = () => new Promise<void>((resolve) => (tell = resolve));
    const list = fileLister(async () => client);
    const source = openFileSource(folder, { list, changed: () => tell(), now: () => nowMs });
    const first = changed();
    expect(source.find('')).toEqual([]);
    await first;
    expect(source.find('')).toEqual(['a.ts']);
    writeFileSync(join(folder, 'b.ts'), '');
    expect(source.find('')).toEqual(['a.ts']);
    const second = changed();
    // The first reading may still be going on: whoever asks later has it read again.
    const asking = setInterval(() => {
      nowMs += 60_000;
      source.find('');
    });
    await second;
    clearInterval(asking);
    expect(source.find('')).toEqual(['a.ts', 'b.ts']);
    source.close();
  });
});
