import { useEffect, useState } from 'preact/hooks';
import { NONE, numberAt } from '../core/node_table.js';
import type { ChangedFile } from '../source/source.js';
import { columns, path, source } from '../state/tree_state.js';
import { count } from '../state/word_forms.js';
import { patchLines } from '../text/changed_lines.js';
import { Difference } from '../text/difference.js';
import { ChangeSize } from './call.js';

/** What a branch changed in the project from a node on; null where that was not recorded, or is not known yet. */
export function useFiles(from: number, end: number): readonly ChangedFile[] | null {
  const [files, setFiles] = useState<readonly ChangedFile[] | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const take = (found: readonly ChangedFile[] | null): void => {
      if (isCurrent) setFiles(found);
    };
    // Without records the files that calls wrote are named.
    source.value?.files(columns.seq[from] ?? 0, columns.seq[end] ?? 0).then(take, () => take(null));
    return () => {
      isCurrent = false;
    };
  }, [from, end]);
  return files;
}

/** The files that the branch that is read has changed since its last fork; nothing where none is recorded. */
export function BranchFiles({ end }: { end: number }) {
  const all = path.value;
  const fork = all.findLast((node) => node !== end && numberAt(columns.childCount, node) > 1) ?? all[0] ?? NONE;
  const files = useFiles(fork, end);
  if (files === null || files.length === 0) return null;
  return (
    <details class="branch-files">
      <summary>This branch changed {count(files.length, 'file')}</summary>
      <ChangedFiles files={files} />
    </details>
  );
}

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
