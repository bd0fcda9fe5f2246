import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withCli } from '../support/cli.js';

const canContain = process.platform === 'linux';

describe('a TMPDIR', () => {
  test.each([
    ['is relative', 'tmp', 'which is not an absolute path'],
    ['lies in /proc', '/proc/self/cognition', 'where nothing can be written'],
    ['does not exist', '/nowhere/cognition', 'where nothing can be written'],
    ['is a file', '/etc/passwd', 'where nothing can be written'],
  ])('that %s is told in one line and keeps nothing from working', (_, TMPDIR, why) =>
    withCli(async ({ run, print, folder }) => {
      const { code, stderr } = await run(['new', 'notes'], { env: { TMPDIR } });
      const [note, ...others] = stderr.trimEnd().split('\n');
      expect(note).toContain(`TMPDIR is ${TMPDIR}, ${why}`);
      expect(note).toContain('; /tmp is used instead');
      expect({ code, others: others.length }).toEqual({ code: 0, others: 1 });
      if (!canContain) return;
      const contained = await run(['exec', 'notes', '--sandbox', 'echo contained'], { env: { TMPDIR } });
      expect(contained).toMatchObject({ code: 0, stdout: expect.stringContaining('contained') });
      expect(await print('doctor')).toContain('bubblewrap');
      expect(join(folder, 'tmp')).not.toBe(TMPDIR);
    }),
  );
});
