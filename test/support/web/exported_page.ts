import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { pageFile } from '../../../cli/render/export/page_file.js';
import type { FileData } from '../../../cli/web/page/source/file_data.js';

const BUILT = new URL('../../../dist/page/', import.meta.url);

/** A page that is one file, as the export writes it. */
export async function exportedPage(data: FileData): Promise<string> {
  return pageFile({
    title: data.tree.title,
    script: readFileSync(new URL('page_file.js', BUILT), 'utf8').trim(),
    style: readFileSync(new URL('page.css', BUILT), 'utf8').trim(),
    data: gzipSync(JSON.stringify(data)).toString('base64'),
    plain: await staticPart(data),
  }).join('');
}

/** Rendered by a fresh copy of the program, whose state is that of one tree. */
async function staticPart(data: FileData): Promise<string> {
  const require = createRequire(import.meta.url);
  const path = require.resolve(new URL('static_page.cjs', BUILT).pathname);
  delete require.cache[path];
  const program: unknown = require(path);
  const write: unknown = Reflect.get(Object(program), 'staticPage');
  if (typeof write !== 'function') throw new Error('no static page');
  return String(await write(data));
}
