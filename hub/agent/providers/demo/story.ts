/** A longer answer with everything that an answer may contain. */
export const STORY = `# The tree that forgot nothing

Once there was a conversation that was a **line**. Whoever wanted to say something else had to scroll up, copy, and begin again; and what had been said before was gone, or lay in a window that nobody found again.

So it became a *tree*:

1. every message is a node, and no node is ever changed;
2. who goes back and says something else grows a branch;
3. a model is told the path from the root to where you stand, and nothing of the other branches.

A path is short to write down:

\`\`\`typescript
function pathTo(node: TreeNode): TreeNode[] {
  // From the root down to the node: this is all that a model reads.
  return node.parent === null ? [node] : [...pathTo(node.parent), node];
}
\`\`\`

| you type | and then |
|---|---|
| \`/fork\` | your next message is an alternative to the last one |
| \`/tree\` | you see both |
| \`/switch 2\` | you are in the other branch |

And if it has not been purged, it is still growing today.`;
