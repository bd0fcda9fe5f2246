import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyCommand } from '../../../cli/race/lane_patch.js';

const added = (path: string): string =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+new\n`;

/** Runs a test in a folder with a patch beside it. */
function withPatch(patch: string, use: (at: { top: string; file: string }) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'cognition-test-'));
  const [top, file] = [join(folder, 'work'), join(folder, 'lane-1.patch')];
  try {
    mkdirSync(top);
    writeFileSync(file, patch);
    use({ top, file });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each([
  ['at the top of a repository', '.', true],
  ['in a folder of a repository', 'sub/app', true],
  ['without a repository', 'sub', false],
])('a patch is applied %s, and changes nothing of what configures cognition', (_, below, isRepository) => {
  withPatch(added('made.txt') + added('.cognition/config') + added('inner/.cognition/config'), ({ top, file }) => {
    const project = join(top, below);
    mkdirSync(project, { recursive: true });
    if (isRepository) execFileSync('git', ['init', '-q', top]);
    execFileSync('bash', ['-c', applyCommand(file)], { cwd: project });
    expect(readFileSync(join(project, 'made.txt'), 'utf8')).toBe('new\n');
    expect(existsSync(join(project, '.cognition'))).toBe(false);
    expect(existsSync(join(project, 'inner'))).toBe(false);
  });
});

test('a patch that moves what configures cognition is refused', () => {
  const moved =
    'diff --git a/.cognition/config b/away\nsimilarity index 100%\nrename from .cognition/config\nrename to away\n';
  withPatch(moved, ({ file }) => expect(() => applyCommand(file)).toThrow('none that a worker makes'));
});

test('a text that tells of a move is no move', () => {
  withPatch(added('made.txt').replace('+new', '+rename from here to there'), ({ file }) => {
    expect(applyCommand(file)).toContain(file);
  });
});
