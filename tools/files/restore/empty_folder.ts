import { chmodSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';

/** Removes all that is in a folder, whatever its modes. Links are removed, and not followed. */
export function emptyFolder(path: string): void {
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true, encoding: 'buffer' })) {
    const at = Buffer.concat([Buffer.from(`${path}/`), entry.name]);
    if (entry.isDirectory()) removeFolder(at);
    else unlinkSync(at);
  }
}

function removeFolder(at: Buffer): void {
  chmodSync(at, 0o700);
  for (const entry of readdirSync(at, { withFileTypes: true, encoding: 'buffer' })) {
    const inner = Buffer.concat([at, Buffer.from('/'), entry.name]);
    if (entry.isDirectory()) removeFolder(inner);
    else unlinkSync(inner);
  }
  rmdirSync(at);
}
