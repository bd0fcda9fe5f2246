// Starts a tree, writes to it, follows what is written, and reads it back.
// In a project of your own this line is: import { connect } from 'cognition';
import { connect } from '../../dist/client.js';

const client = await connect();

const tree = await client.call('loom.tree_create', { name: 'from a script' });

// Who watches sees every node as it becomes durable, whoever wrote it.
const stop = new AbortController();
let seen = 0;
const watching = client.watch({
  tree: tree.id,
  since: 0,
  signal: stop.signal,
  onEvent(event) {
    if (event.kind !== 'node_created' || event.node.role === 'root') return;
    seen += 1;
    if (seen === 3) stop.abort();
  },
});

// The root node of a tree has the tree's own id. Two messages below one node are two branches.
const question = await append(tree.id, 'Where shall we go?');
await append(question.id, 'To the sea.');
const { branched } = await client.call('loom.node_create_text', message(question.id, 'To the mountains.'));
console.log(`a new branch: ${branched}`);

await watching;
for await (const leaf of client.pages('loom.context_list_leaves', { tree: tree.id }, 'leaves')) {
  console.log(`leaf: ${leaf.node.preview}`);
}
await client.close();

async function append(parent, text) {
  const { node } = await client.call('loom.node_create_text', message(parent, text));
  return node;
}

function message(parent, text) {
  return { tree: tree.id, parent, role: 'user', blocks: [{ type: 'text', text }] };
}
