// Bundles the program into dist/. Usage: node .dev/build.mjs [--watch | --no-types]
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { writeTypes } from './types.mjs';
import { requireDeclared, unbundledOf } from './unbundled.mjs';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const { version, engines, optionalDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

/** What serves other programs, each with the kit of its protocol: no other command reads them. */
const SERVERS = {
  'cli/repl/acp/serve_editor.js': 'acp.cjs',
  'cli/mcp/serve_agents.js': 'mcp.cjs',
  'cli/web/serve_web.js': 'web.cjs',
};

/**
 * What is built, and from what. A module named in `beside` is not put in: it is read from another bundle when it is
 * wanted, for what is not read need not be compiled at every start.
 */
const ENTRIES = [
  {
    source: 'cli/main.ts',
    target: 'cognition.cjs',
    format: 'cjs',
    beside: { 'cli/run.js': 'commands.cjs', 'cli/chat_program.js': 'chat.cjs' },
  },
  {
    source: 'cli/run.ts',
    target: 'commands.cjs',
    format: 'cjs',
    beside: { 'cli/repl/start.js': 'chat.cjs', ...SERVERS },
  },
  { source: 'cli/chat_program.ts', target: 'chat.cjs', format: 'cjs', beside: SERVERS },
  { source: 'cli/repl/acp/serve_editor.ts', target: 'acp.cjs', format: 'cjs' },
  { source: 'cli/mcp/serve_agents.ts', target: 'mcp.cjs', format: 'cjs' },
  { source: 'cli/web/serve_web.ts', target: 'web.cjs', format: 'cjs' },
  {
    source: 'hub/start/main.ts',
    target: 'hub.js',
    format: 'esm',
    beside: { 'hub/sharing/remote_kit.js': 'remote_kit.js' },
  },
  { source: 'hub/sharing/remote_kit.ts', target: 'remote_kit.js', format: 'esm' },
  {
    source: 'tools/start/main.ts',
    target: 'tools.js',
    format: 'esm',
    beside: { 'tools/mcp/connection/client_kit.js': 'mcp_client.js' },
  },
  { source: 'tools/mcp/connection/client_kit.ts', target: 'mcp_client.js', format: 'esm' },
  { source: 'tools/files/worker/run_worker.ts', target: 'files_worker.js', format: 'esm' },
  { source: 'tools/images/run_shrink.ts', target: 'shrink_image.js', format: 'esm' },
  { source: 'hub/client/client.ts', target: 'client.js', format: 'esm' },
  { source: 'loom/threads/writer.ts', target: 'loom_writer.js', format: 'esm' },
  { source: 'loom/threads/reader.ts', target: 'loom_reader.js', format: 'esm' },
  { source: 'loom/threads/copier.ts', target: 'loom_copier.js', format: 'esm' },
];

const shared = {
  bundle: true,
  platform: 'node',
  target: `node${/\d+/.exec(engines.node)[0]}`,
  // pg has an optional native part that is never installed here.
  external: ['better-sqlite3', 'pg-native'],
  minifySyntax: true,
  legalComments: 'none',
  write: false,
  metafile: true,
  logLevel: 'warning',
  define: {
    COGNITION_VERSION: JSON.stringify(version),
    // ws looks for two optional native packages that are never installed here.
    'process.env.WS_NO_BUFFER_UTIL': '"1"',
    'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
  },
};

const byFormat = {
  cjs: {
    // Each start compiles the whole file, so its size counts. Lines stay short enough for stack traces to be of use.
    minifyWhitespace: true,
    lineLimit: 160,
    // What is read from another bundle is required: an import would be read twice, once for the names it exports.
    supported: { 'dynamic-import': false },
    define: { ...shared.define, 'import.meta.url': '__bundleUrl' },
    banner: {
      js: "#!/usr/bin/env node\n'use strict';const __bundleUrl=require('node:url').pathToFileURL(__filename).href;",
    },
  },
  esm: {
    // Bundled CommonJS packages ask for Node's own modules with require.
    banner: {
      js: "import{createRequire as __bundleRequire}from'node:module';const require=__bundleRequire(import.meta.url);",
    },
  },
};

/** Replaces a file in one step, so that a process started meanwhile never reads half of one. */
async function put(path, bytes, mode) {
  const known = await readFile(path).catch(() => null); // it may not exist yet
  if (known?.equals(bytes)) return;
  const temporary = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, bytes, { mode });
  await rename(temporary, path);
}

const writer = {
  name: 'writer',
  setup(build) {
    build.onEnd(async ({ outputFiles = [] }) => {
      for (const { path, contents } of outputFiles) await put(path, Buffer.from(contents), 0o755);
    });
  },
};

/** Leaves what lies in another bundle to that one. */
function besideOf(beside) {
  return {
    name: 'beside',
    setup(build) {
      build.onResolve({ filter: /^\..*\.js$/ }, ({ path, kind, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const other = beside[relative(ROOT, join(resolveDir, path))];
        return other === undefined ? undefined : { path: `./${other}`, external: true };
      });
    },
  };
}

/**
 * An import of node:http reads each name that it exports: on Node 22 that loads fetch and HTTP/2, megabytes of a hub that only
 * waits. Requiring it does not.
 */
const quietHttp = {
  name: 'quiet-http',
  setup(build) {
    build.onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'quiet-http' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'quiet-http' }, () => ({
      contents: "module.exports = require('node:http');",
    }));
  },
};

/** What a program loads only when it is wanted lies in files of its own, so that the others do without its memory. */
const PARTS = 'parts';

function optionsOf({ source, target, format, beside = {} }) {
  return {
    ...shared,
    ...byFormat[format],
    format,
    entryPoints: [{ in: join(ROOT, source), out: target.replace(/\.\w+$/, '') }],
    outdir: DIST,
    outExtension: { '.js': extname(target) },
    splitting: target === 'hub.js',
    chunkNames: `${PARTS}/[name]-[hash]`,
    plugins: [besideOf(beside), quietHttp, writer],
  };
}

const PAGE = join(ROOT, 'cli', 'web', 'page');
/** What browsers are given: each with its entry. */
const PAGE_ENTRIES = [
  { source: 'main_hub.tsx', target: 'page_hub.js', format: 'esm' },
  { source: 'main_file.tsx', target: 'page_file.js', format: 'iife' },
  { source: 'style/page.css', target: 'page.css', browsers: ['chrome123', 'firefox120', 'safari17.5'] },
  { source: 'static_page.tsx', target: 'static_page.cjs', format: 'cjs', platform: 'node' },
];

/** The page, minified: it travels in every exported file. */
function pageOptionsOf({ source, target, format, platform = 'browser', browsers }) {
  return {
    ...{ bundle: true, minify: true, legalComments: 'none', write: false, metafile: true, logLevel: 'warning' },
    ...{ jsx: 'automatic', jsxImportSource: 'preact', charset: 'utf8', plugins: [writer] },
    ...{ platform, target: browsers ?? 'es2022', outfile: join(DIST, 'page', target), absWorkingDir: ROOT },
    ...(format === undefined ? {} : { format }),
    entryPoints: [join(PAGE, source)],
  };
}

function allOptions() {
  return [...ENTRIES.map(optionsOf), ...PAGE_ENTRIES.map(pageOptionsOf)];
}

/** Writes the bundles; those whose content is the same keep their file. */
export async function bundle() {
  const built = await Promise.all(allOptions().map((options) => esbuild.build(options)));
  requireDeclared(unbundledOf(built.map(({ metafile }) => metafile)), optionalDependencies);
  await put(join(DIST, '.built'), Buffer.from(`${Date.now()}\n`), 0o644);
}

async function watch() {
  for (const options of allOptions()) await (await esbuild.context(options)).watch();
  console.error(`watching: ${ENTRIES.map(({ target }) => join(basename(DIST), target)).join(' ')}`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--watch')) await watch();
  else {
    const isWhole = !process.argv.includes('--no-types');
    // Their names change with their content. A hub that runs may still want those of before.
    if (isWhole) await rm(join(DIST, PARTS), { recursive: true, force: true });
    await bundle();
    if (isWhole) await writeTypes();
  }
}
