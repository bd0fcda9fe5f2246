/** The methods of the hub that a page may call, with the parameters that it may give: they read, and name no file and no program. */
const READING: Readonly<Record<string, readonly string[]>> = {
  'loom.tree_get': ['tree'],
  'loom.tree_list': ['project', 'cursor', 'limit'],
  'loom.tree_find': ['ref'],
  'loom.tree_get_shape': ['tree', 'cursor', 'limit'],
  'loom.tree_get_lines': ['tree', 'seqs'],
  'loom.mark_list': ['tree', 'cursor', 'limit'],
  'loom.node_get': ['tree', 'node'],
  'loom.context_get_path': ['node', 'from_depth', 'cursor', 'limit'],
  'loom.search': ['tree', 'query', 'cursor', 'limit'],
  'loom.cost_shape': ['tree', 'cursor', 'limit'],
  'loom.blob_read': ['sha256', 'offset', 'limit'],
  'loom.watch': ['tree', 'since', 'epoch', 'stream'],
  'agent.follow': ['tree', 'stream'],
  'agent.status': ['tree'],
};

/** What the process itself answers. */
const OWN_READING: Readonly<Record<string, readonly string[]>> = {
  'page.start': [],
  'page.position': ['tree'],
  'page.files': ['tree', 'from', 'to'],
  'page.race': ['tree'],
};

/** What a person does, with `--write`: each goes through the process, as from a command of theirs. */
const OWN_WRITING: Readonly<Record<string, readonly string[]>> = {
  'page.say': ['tree', 'node', 'text'],
  'page.steer': ['turn', 'text'],
  'page.stop': ['turn'],
  'page.answer': ['turn', 'question', 'text'],
  'page.mark': ['tree', 'node', 'name'],
  'page.archive': ['tree', 'node'],
};

/** Who answers a method, and with which parameters; null for what no page may call. */
export function allowed(
  method: string,
  canWrite: boolean,
): { by: 'hub' | 'process'; parameters: readonly string[] } | null {
  const own = { ...OWN_READING, ...(canWrite ? OWN_WRITING : {}) };
  if (Object.hasOwn(READING, method)) return { by: 'hub', parameters: READING[method] ?? [] };
  return Object.hasOwn(own, method) ? { by: 'process', parameters: own[method] ?? [] } : null;
}

/** Whether a method is refused for want of `--write` alone. */
export function wantsWriting(method: string): boolean {
  return Object.hasOwn(OWN_WRITING, method);
}
