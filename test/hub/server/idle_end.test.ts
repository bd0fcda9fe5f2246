import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withHome } from '../../support/hub.js';

const DIST = fileURLToPath(new URL('../../../dist/', import.meta.url));
const TELL = `process.on('exit', () => require('node:fs').writeFileSync(process.env.TOLD, process.moduleLoadList.join('\\n')));`;

// Each of these takes megabytes of a hub that only waits.
test('a hub that only waits has loaded neither fetch nor HTTP/2', async () => {
  await withHome(async (home) => {
    const [preload, told] = [join(home, '..', 'preload.cjs'), join(home, '..', 'told')];
    writeFileSync(preload, TELL);
    const hub = spawn(process.execPath, ['-r', preload, join(DIST, 'hub.js'), home], {
      env: { PATH: process.env.PATH, HOME: join(home, '..'), TOLD: told },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(hub, 'exit');
    await once(hub.stderr, 'data');
    hub.kill('SIGTERM');
    await ended;
    const loaded = readFileSync(told, 'utf8').split('\n');
    expect(loaded).toContain('NativeModule http');
    for (const name of ['internal/deps/undici/undici', 'http2']) expect(loaded).not.toContain(`NativeModule ${name}`);
  });
});

test.each(['hub.js', 'tools.js'])('%s bundles only the schemas that it uses', (program) => {
  const languages = readFileSync(join(DIST, program), 'utf8').match(/node_modules\/zod\/v4\/locales\/[\w-]+/g) ?? [];
  expect([...new Set(languages)]).toEqual(['node_modules/zod/v4/locales/en']);
});
