import { useState } from 'preact/hooks';
import { ChangeSize } from '../reading/call.js';
import type { ChangedFile } from '../source/source.js';
import { patchLines } from '../text/changed_lines.js';
import { Difference } from '../text/difference.js';

/** The files that a branch changed, each unfolded with its difference. */
export function ChangedFiles({ files }: { files: readonly ChangedFile[] }) {
  if (files.length === 0) return <p class="hint">No file differs.</p>;
  return (
    <div class="calls">
      {files.map((file) => (
        <FileRow key={file.path} file={file} />
      ))}
    </div>
  );
}

function FileRow({ file: { path, status, lines_added, lines_removed, patch } }: { file: ChangedFile }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="call" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b>{status}</b> <code class="argument">{path}</code>
        <span class="facts">
          {lines_added !== null && lines_removed !== null && <ChangeSize added={lines_added} removed={lines_removed} />}
        </span>
      </summary>
      {isOpen && patch !== null && <Difference lines={patchLines(patch)} path={path} />}
      {isOpen && patch === null && <p class="none">its difference is not shown</p>}
    </details>
  );
}
