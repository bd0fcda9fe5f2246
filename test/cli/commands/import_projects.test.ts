import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { withCli } from '../../support/cli.js';

const Trees = z.array(z.object({ id: z.string(), project: z.string().nullable() }));

test('a file decides which folder models may change only with --keep-projects', async () => {
  await withCli(async ({ folder, run, print, json }) => {
    const elsewhere = join(folder, '..', 'elsewhere');
    mkdirSync(elsewhere);
    await print('new', 'notes');
    await print('add', '@', 'hello');
    const [own] = Trees.parse(await json('list'));
    const lines = await print('export', '@', '--format', 'jsonl');
    const forged = lines.replace(JSON.stringify(own?.project), JSON.stringify(elsewhere));
    const imported = async (input: string, ...words: string[]) => {
      const env = { COGNITION_HOME: join(folder, `home${words.length}${input === lines}`) };
      const ran = await run(['import', '-', ...words], { input, env });
      const [tree] = Trees.parse(JSON.parse((await run(['list', '--json'], { env })).stdout));
      const answer = await run(
        ['ask', tree?.id ?? '', 'demo: run touch made\ndemo: then\ndemo: say Done.', '-m', 'demo', '--there'],
        {
          env,
        },
      );
      await run(['hub', 'stop'], { env });
      expect([ran.code, answer.code]).toEqual([0, 0]);
      return { project: tree?.project, told: ran.stderr };
    };
    expect(await imported(forged)).toEqual({
      project: null,
      told: `Its project was ${elsewhere}; models work in it where you are when you ask. Kept with: --keep-projects\n`,
    });
    expect([existsSync(join(elsewhere, 'made')), existsSync(join(folder, 'made'))]).toEqual([false, true]);
    expect(await imported(lines)).toEqual({ project: own?.project, told: '' });
    expect(await imported(forged, '--keep-projects')).toEqual({ project: elsewhere, told: '' });
    expect(existsSync(join(elsewhere, 'made'))).toBe(true);
  });
});
