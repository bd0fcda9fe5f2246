import type { Client } from '../../../../hub/client/client.js';

/** Tells the files below a folder, batch by batch; resolves when all are told. */
export type ListFiles = (folder: string, listing: FileListing) => Promise<void>;

interface FileListing {
  signal: AbortSignal;
  take(paths: readonly string[]): void | Promise<void>;
}

/** Has the tools list files: no program is run for it, for a repository may say which ones git runs. */
export function fileLister(client: () => Promise<Client>): ListFiles {
  return async (folder, { signal, take }) => {
    const hub = await client();
    const onEvent = ({ paths }: { paths: string[] }) => take(paths);
    await hub.stream('file.project_list', { folder }, { signal, onEvent, startsHub: false });
  };
}
