import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCli } from '../../support/cli.js';

test('tokens measures the project, or files and folders of it, and names the largest', () =>
  withCli(async ({ folder, print, run }) => {
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src', 'large.txt'), 'word '.repeat(800));
    writeFileSync(join(folder, 'small.txt'), 'word');
    expect(await print('tokens')).toMatch(/^about 1,?001 tokens in 2 files\n[\s\S]*src\/large\.txt/);
    expect(await print('tokens', 'small.txt', '--top', '1')).toMatch(/^about 1 tokens? in 1 file\n/);
    expect(JSON.parse(await print('tokens', '--json'))).toMatchObject({ files: 2 });
    expect(await print('tokens', '../..')).toMatch(/ in 0 files/);
    expect((await run(['tokens', '--top', '0'])).stderr).toContain('from 1 to 100');
  }));
