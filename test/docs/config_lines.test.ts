import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withCli } from '../support/cli.js';

const guide = fileURLToPath(new URL('../../docs/guide/', import.meta.url));

/** The blocks of a document that are lines of a configuration. */
function configBlocks(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```text\n([^`]*)^```$/gm)].map(([, block = '']) => block);
  return blocks.filter((block) =>
    block
      .trim()
      .split('\n')
      .every((line) => /^[a-z_.]+ = ./.test(line)),
  );
}

test('the lines of the configuration that the guide shows are taken as they stand', async () => {
  const blocks = readdirSync(guide).flatMap((name) => configBlocks(readFileSync(join(guide, name), 'utf8')));
  expect(blocks.length).toBeGreaterThan(1);
  await withCli(async ({ home, run }) => {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config'), blocks.join(''));
    expect(await run(['config', 'list'])).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await run(['models', 'team'], { env: { AWS_REGION: 'us-west-2' } });
    expect(stdout).toContain('https://bedrock-runtime.eu-central-1.amazonaws.com');
  });
});
