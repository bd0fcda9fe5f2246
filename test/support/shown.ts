import { z } from 'zod';
import type { TestCli } from './cli.js';

const Shown = z.object({ nodes: z.array(z.object({ id: z.string(), preview: z.string() })) });

/** The ids of all nodes of the current tree, by their words. */
export async function nodesOf(json: TestCli['json']): Promise<Record<string, string>> {
  const { nodes } = Shown.parse(await json('show', '--all'));
  return Object.fromEntries(nodes.map(({ id, preview }) => [preview, id]));
}
