import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOG_BYTES_MAX, openLog } from '../../../hub/server/log_file.js';
import { withFolder } from '../../support/hub.js';

const clock = () => Date.UTC(2026, 10, 18, 12, 0, 0);

test('a line has time, level and message, and no control characters', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'hub.log');
    openLog(path, clock)('warn', 'one\u001b[2J\ntwo');
    expect(readFileSync(path, 'utf8')).toBe('2026-11-18T12:00:00.000Z warn one?[2J\n    two\n');
    expect(statSync(path).mode & 0o077).toBe(0);
  });
});

test('the log keeps two generations of bounded size', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'hub.log');
    const log = openLog(path, clock);
    for (let count = 0; count < 1_000; count += 1) log('info', `${count} ${'x'.repeat(4_000)}`);
    expect(statSync(path).size).toBeLessThanOrEqual(LOG_BYTES_MAX);
    expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(LOG_BYTES_MAX);
    expect(readFileSync(path, 'utf8')).toContain('info 999 x');
  });
});

test('a log that cannot be written does not throw', async () => {
  await withFolder(async (folder) => {
    const log = openLog(join(folder, 'missing', 'hub.log'), clock);
    expect(() => log('error', 'lost')).not.toThrow();
  });
});
