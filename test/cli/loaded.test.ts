import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCli } from '../support/cli.js';

/** Makes a program tell on stderr, at its end, what it has loaded. */
const TELL_LOADED = "process.on('exit', () => process.stderr.write(Object.keys(require.cache).join('\\n')));\n";

test.each([
  [['--version'], ['cognition.cjs']],
  [['--help'], ['cognition.cjs', 'commands.cjs']],
  [['list'], ['cognition.cjs', 'commands.cjs']],
  [
    ['chat', '--help'],
    ['cognition.cjs', 'chat.cjs'],
  ],
  [
    ['--json', 'chat', '--help'],
    ['cognition.cjs', 'chat.cjs'],
  ],
])('cognition %j reads no more than %j', async (words, bundles) => {
  await withCli(async ({ folder, run }) => {
    writeFileSync(join(folder, 'tell_loaded.cjs'), TELL_LOADED);
    const { code, stderr } = await run(words, { env: { NODE_OPTIONS: '--require=./tell_loaded.cjs' } });
    const loaded = [...stderr.matchAll(/^.*\/dist\/(.*)$/gm)].map(([, bundle]) => bundle);
    expect({ code, loaded }).toEqual({ code: 0, loaded: bundles });
  });
});
