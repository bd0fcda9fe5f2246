import type { Block, External } from '../../hub/protocol/node.js';

/**
 * Trees written as pictures: `tree(user('a', answer('b', user('c')), answer('d')))`. A node is named by its text;
 * a call by its command.
 */
export type Picture =
  | { kind: 'text'; role: 'user' | 'assistant' | 'summary'; name: string; children: Picture[] }
  | { kind: 'command'; name: string; children: Picture[] }
  | { kind: 'step'; name: string; commands: string[]; children: Picture[] };

export const user = (name: string, ...children: Picture[]): Picture => ({ kind: 'text', role: 'user', name, children });
export const answer = (name: string, ...children: Picture[]): Picture => ({
  ...{ kind: 'text', role: 'assistant', name, children },
});
export const summary = (name: string, ...children: Picture[]): Picture => ({
  ...{ kind: 'text', role: 'summary', name, children },
});
/** What a person ran. */
export const command = (name: string, ...children: Picture[]): Picture => ({ kind: 'command', name, children });
/** A model's message with its calls; children hang below the last call. */
export const step = (name: string, commands: string[], ...children: Picture[]): Picture => ({
  ...{ kind: 'step', name, commands, children },
});

export const text = (content: string): Block[] => [{ type: 'text', text: content }];

/** The external part of a node that ran a command, with the id of the call it answers. */
export function ran(commandLine: string, callId: string | null = null): External {
  return {
    call: { tool: 'bash', input: { command: commandLine }, id: callId },
    handle: {
      ...{ source: 'bash', source_version: '1.0.0', identifier: `session-1/${commandLine}` },
      metadata: { command: commandLine, exit_code: 0 },
    },
    ...{ output: null, exit_code: 0, signal: null, duration_ms: 5, cwd: '/project' },
  };
}

/** What a step of a picture is made of: its blocks with one call per command, and the results. */
export function stepParts(name: string, commands: readonly string[]) {
  const calls = commands.map((commandLine, index) => ({ id: `call-${name}-${index}`, commandLine }));
  const callBlocks: Block[] = calls.map(({ id, commandLine }) => ({
    ...{ type: 'call', id, tool: 'bash', input: { command: commandLine } },
  }));
  return {
    blocks: [...text(name), ...callBlocks],
    calls: calls.map(({ id, commandLine }) => ({
      blocks: text(`output of ${commandLine}`),
      external: ran(commandLine, id),
    })),
  };
}

type Appended = { node: { id: string } } | { nodes: { id: string }[] };
/** Appends a node of a picture by a write method. */
export type Append = (method: AppendMethod, params: object) => Promise<Appended> | Appended;
type AppendMethod = 'loom.node_create_text' | 'loom.node_create_external' | 'loom.step_create';

/** Appends pictures below a node, depth first, and returns the id of every node by its name. */
export async function grow(append: Append, at: { tree: string; parent: string }, pictures: readonly Picture[]) {
  const ids: Record<string, string> = {};
  const rest = pictures.map((picture) => ({ picture, parent: at.parent })).reverse();
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { picture, parent } = next;
    const appended = await append(...appendCall(picture, { tree: at.tree, parent }));
    const made = 'nodes' in appended ? appended.nodes : [appended.node];
    const names = picture.kind === 'step' ? [picture.name, ...picture.commands] : [picture.name];
    for (const [index, name] of names.entries()) ids[name] = made[index]?.id ?? '';
    const end = made.at(-1)?.id ?? parent;
    for (const child of [...picture.children].reverse()) rest.push({ picture: child, parent: end });
  }
  return ids;
}

function appendCall(picture: Picture, place: { tree: string; parent: string }): [AppendMethod, object] {
  switch (picture.kind) {
    case 'text':
      return ['loom.node_create_text', { ...place, role: picture.role, blocks: text(picture.name), settings: null }];
    case 'command':
      return [
        'loom.node_create_external',
        { ...place, blocks: text(`output of ${picture.name}`), external: ran(picture.name) },
      ];
    case 'step':
      return ['loom.step_create', { ...place, settings: null, ...stepParts(picture.name, picture.commands) }];
  }
}
