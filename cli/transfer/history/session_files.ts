import { filesBelow, type HistoryFile, pathOf } from './history_files.js';
import type { HistorySource } from './history_sources.js';

/** The files of sessions below a folder. */
export interface SessionFiles {
  /** What is to be imported: sessions before the agents that they have started. */
  ordered: readonly HistoryFile[];
  byId: ReadonlyMap<string, HistoryFile>;
  /** The agents whose files lie beside that of a session. */
  agentsBeside(session: HistoryFile): readonly HistoryFile[];
}

/** Lists the sessions of a program; `only` names one file of the folder, which may be called anything. */
export function listSessions(source: HistorySource, root: string, only: string | null): SessionFiles {
  const files = [...filesBelow(root)].filter((file) => isOnly(file) || source.file.test(nameOf(file)));
  const isWanted = only === null ? () => true : isOnly;
  const byId = new Map<string, HistoryFile>();
  const beside = new Map<string, HistoryFile[]>();
  for (const file of files) {
    const id = source.file.exec(nameOf(file))?.[1];
    if (id !== undefined) byId.set(id, file);
    if (!source.isAgent(file.names)) continue;
    const folder = pathOf({ root, names: file.names.slice(0, -2) });
    beside.set(folder, [...(beside.get(folder) ?? []), file]);
  }
  const [agents, sessions] = [true, false].map((isAgent) =>
    files.filter((file) => isWanted(file) && source.isAgent(file.names) === isAgent),
  );
  return {
    ordered: [...(sessions ?? []), ...(agents ?? [])],
    byId,
    agentsBeside: (session) => beside.get(pathOf(session).replace(/\.jsonl$/, '')) ?? [],
  };

  function isOnly(file: HistoryFile): boolean {
    return only !== null && file.names.length === 1 && nameOf(file) === only;
  }
}

function nameOf({ names }: HistoryFile): string {
  return names.at(-1) ?? '';
}
