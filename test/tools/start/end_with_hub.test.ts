import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { withFolder } from '../../support/hub.js';

const SOURCE = fileURLToPath(new URL('../../../tools/start/end_with_hub.ts', import.meta.url));

const PARENT = `
import { spawn } from 'node:child_process';
spawn(process.execPath, [process.argv[2]], { detached: true, stdio: 'inherit' });
setInterval(() => undefined, 1000);
`;
const HANGING = `
import { endWithHub } from './end_with_hub.mjs';
endWithHub({ graceMs: 10, everyMs: 10 });
console.log(process.pid);
for (;;);
`;

test('a process that hangs ends when the one that started it is killed', () =>
  withFolder(async (folder) => {
    const [parent, hanging] = [join(folder, 'parent.mjs'), join(folder, 'hanging.mjs')];
    await build({ entryPoints: [SOURCE], outfile: join(folder, 'end_with_hub.mjs'), format: 'esm', platform: 'node' });
    await writeFile(parent, PARENT);
    await writeFile(hanging, HANGING);
    const child = spawn(process.execPath, [parent, hanging], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid] = await once(createInterface({ input: child.stdout }), 'line');
    expect(process.kill(Number(pid), 0)).toBe(true);
    const closed = once(child.stdout, 'close'); // when the last of both is gone
    child.kill('SIGKILL');
    await closed;
  }));
