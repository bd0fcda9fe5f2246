import { render } from 'preact';
import { App } from './parts/app.js';
import { writeOutOnPaper } from './parts/print.js';
import type { FileData } from './source/file_data.js';
import { fileSource } from './source/from_file.js';
import { begin } from './state/begin.js';

// The page as a file: no hub, no network.
const box = document.getElementById('app');
if (box !== null) {
  render(<App />, box);
  writeOutOnPaper();
  unpacked(document.getElementById('data')?.textContent ?? '')
    .then((data) => begin(fileSource(data)))
    .then(
      () => box.setAttribute('data-ready', ''),
      (error: unknown) => {
        render(<main class="loading">It could not be opened: {String(error)}</main>, box);
      },
    );
}

/** The tree lies in the page as JSON, gzipped, in base64. */
async function unpacked(text: string): Promise<FileData> {
  const bytes = Uint8Array.from(atob(text.trim()), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}
