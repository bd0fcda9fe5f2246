// Runs a TypeScript program of the repository: node .dev/run.mjs test/bench/main.ts [arguments]
import { rmSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './ensure.mjs';

ensureInstalled();
const { build } = await import('esbuild');
const { ROOT } = await import('./build.mjs');
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const [source = '', ...given] = process.argv.slice(2);
// Below node_modules, so that packages are found from there.
const folder = join(ROOT, 'node_modules', '.cache', 'cognition');
const target = join(folder, `${basename(source, '.ts')}-${process.pid}.mjs`);

/** Files find their neighbours by import.meta.url, which is to be that of the source. */
const sourceUrls = {
  name: 'source-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) };
    });
  },
};

await mkdir(folder, { recursive: true });
await build({
  entryPoints: [join(ROOT, source)],
  outfile: target,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  define: { COGNITION_VERSION: JSON.stringify(version) },
  plugins: [sourceUrls],
});
process.once('exit', () => rmSync(target, { force: true }));
process.argv = [process.argv[0], target, ...given];
await import(pathToFileURL(target).href);
