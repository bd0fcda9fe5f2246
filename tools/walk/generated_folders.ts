/** Folders with generated or foreign content, which are left out where no repository says what counts. */
export const GENERATED_FOLDERS: ReadonlySet<string> = new Set([
  ...['.hg', '.svn', 'node_modules', '__pycache__', '.venv', '.cache'],
]);
