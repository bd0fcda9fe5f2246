import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestCli, withCli } from '../../support/cli.js';
import { say } from '../../support/model/script.js';
import { KEY, type ModelServer, withModelServer } from '../../support/model_server.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const GIF = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

/** The program in a folder with images, asking a loopback server in one of the formats. */
function withImages(
  model: string,
  use: (cli: TestCli, server: ModelServer, env: Record<string, string>) => Promise<void>,
) {
  return withModelServer((server) =>
    withCli(async (cli) => {
      writeFileSync(join(cli.folder, 'shot.png'), PNG);
      writeFileSync(join(cli.folder, 'my "own" shot.GIF'), GIF);
      await use(cli, server, {
        ANTHROPIC_API_KEY: KEY,
        ANTHROPIC_BASE_URL: server.origin,
        OPENAI_API_KEY: KEY,
        OPENAI_BASE_URL: server.openaiUrl,
        OLLAMA_HOST: server.origin,
        COGNITION_MODEL: model,
      });
    }),
  );
}

test.each(['anthropic/claude-sonnet-5', 'openai/gpt-5', 'ollama/qwen3-vl:8b'])(
  'images that a message names are shown to %s, before the text and in their order',
  async (model) => {
    await withImages(model, async ({ run, print }, server, env) => {
      server.script({ ...say({ kind: 'text', text: 'Seen.' }), kind: 'say_to_anyone' });
      const message = 'compare @"my \\"own\\" shot.GIF" with @shot.png, and @shot.png again; me@shot.png, \\@shot.png';
      expect(await run(['ask', message], { env })).toMatchObject({ code: 0 });
      const sent = JSON.stringify(server.requests[0]?.body.messages);
      const places = [GIF.toString('base64'), PNG.toString('base64'), 'compare @'].map((part) => sent.indexOf(part));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places[0]).toBeGreaterThan(0);
      expect(sent.split(PNG.toString('base64'))).toHaveLength(2);
      expect(await print('list')).toContain('compare @"my');
      expect(await print('context')).toContain('[image 1x1 image/gif]\n[image 1x1 image/png]\n');
    });
  },
);

test('a task of a conversation of its own, and a message in an old one, can name images, too', async () => {
  await withImages('anthropic/claude-sonnet-5', async ({ run }, server, env) => {
    expect(await run(['spawn', '-t', 'what is @shot.png?'], { env })).toMatchObject({ code: 0 });
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain(PNG.toString('base64'));
    expect(await run(['ask', 'hello'], { env })).toMatchObject({ code: 0 });
    expect(await run(['ask', '@', 'and (@shot.png)?'], { env })).toMatchObject({ code: 0 });
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain(PNG.toString('base64'));
  });
});

test('an image that cannot be shown gives one clear line with a hint, and nothing is sent or kept', async () => {
  await withImages('anthropic/claude-sonnet-5', async ({ folder, run, json }, server, env) => {
    writeFileSync(join(folder, 'text.png'), 'no image\n');
    writeFileSync(join(folder, 'empty.png'), '');
    writeFileSync(join(folder, 'large.png'), Buffer.concat([PNG.subarray(0, 33), Buffer.alloc(5_000_000)]));
    writeFileSync(join(folder, 'photo.heic'), 'ftypheic');
    mkdirSync(join(folder, 'folder.png'));
    symlinkSync('../secret.png', join(folder, 'planted.png'));
    writeFileSync(join(folder, '..', 'secret.png'), PNG);
    const refused = async (name: string): Promise<string> => {
      const { code, stdout, stderr } = await run(['ask', `what is @${name}?`], { env });
      expect({ name, code, stdout }).toEqual({ name, code: expect.any(Number), stdout: '' });
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/^cognition: .*\nhint: .*\n$/);
      return stderr;
    };
    expect(await refused('shto.png')).toMatch(/shto\.png.* does not exist\nhint: there is .*shot\.png.*\\@shto\.png/);
    expect(await refused('text.png')).toContain('"text.png" holds no image, whatever its name says');
    expect(await refused('empty.png')).toContain('holds no image');
    expect(await refused('large.png')).toContain('a model takes 3,932,160');
    expect(await refused('planted.png')).toMatch(
      /planted\.png is a link that leads out of the project\nhint: .*secret\.png/,
    );
    expect(await refused('folder.png')).toContain('is a folder, not a file');
    expect(await refused('photo.heic')).toMatch(/shown no \.heic images.*\nhint: convert it to PNG or JPEG/);
    const many = Array.from({ length: 21 }, (_, number) => `@${number}.png`).join(' ');
    expect(await run(['ask', many], { env })).toMatchObject({ code: 2, stderr: expect.stringContaining('21 images') });
    expect(server.requests).toEqual([]);
    expect(await json('list')).toEqual([]);
  });
});

test('other files and piped input are sent as text alone', async () => {
  await withImages('anthropic/claude-sonnet-5', async ({ folder, run }, server, env) => {
    writeFileSync(join(folder, 'notes.txt'), 'a note\n');
    const words = ['ask', 'read @notes.txt, @nothing.heic, ask me@example.org, \\@none.png'];
    expect(await run(words, { env, input: 'url("@missing.png") @shot.png\n' })).toMatchObject({ code: 0 });
    expect(await run(['ask', '-'], { env, input: 'see @missing.png\n' })).toMatchObject({ code: 0 });
    const sent = server.requests.map(({ text }) => text).join('');
    expect(sent).toContain('see @missing.png');
    expect(sent).not.toContain('base64');
  });
});
