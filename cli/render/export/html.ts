import { createHash } from 'node:crypto';
import type { Node } from '../../../hub/protocol/node.js';
import { callTextOf, isSilent, nodeText, speakerOf } from '../node/node_text.js';
import { bodyOf, type CallBody } from '../node/whole_call.js';
import { shortId } from '../text/ids_and_counts.js';
import { treeWords } from '../tree/tree_list.js';
import type { DocumentFormat } from './document.js';

const CSS = `
:root { color-scheme: light dark; --line: #8884; --quiet: #777; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
article { border-left: 3px solid var(--line); padding: 0 0 0 1rem; margin: 1.2rem 0; }
article.user { border-color: #2aa1b3; }
article.assistant { border-color: #26a269; }
article.tool { border-color: #c6a021; }
header { color: var(--quiet); font-size: .85rem; overflow-wrap: anywhere; }
header b { color: CanvasText; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; font: inherit; }
article.tool pre.asked { border: 1px solid var(--line); padding: .3rem .5rem; }
ins, del { text-decoration: none; }
ins { color: #26a269; }
del { color: #c01c28; }
article.tool pre { font: .85rem/1.4 ui-monospace, monospace; }
h2 { font-size: 1rem; color: var(--quiet); border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 2rem; }
`;
const CSS_HASH = createHash('sha256').update(CSS).digest('base64');
// Nothing may be loaded or run, whatever the conversation holds; only this style sheet applies, by its hash.
const POLICY = `default-src 'none'; style-src 'sha256-${CSS_HASH}'; base-uri 'none'; form-action 'none'`;

/** One self-contained HTML file, without scripts, for light and dark. */
export const htmlFormat: DocumentFormat = {
  begin: (tree) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(treeWords(tree))}</title>
<style>${CSS}</style>
</head>
<body>
<h1>${escapeHtml(treeWords(tree))}</h1>
`,
  fork: ({ number, of, from }) =>
    `<h2 id="branch-${number}">Branch ${number}, one of ${of} from <a href="#${from}">${shortId(from)}</a></h2>\n`,
  node: (node) => (node.role === 'root' || isSilent(node) ? `<div id="${node.id}"></div>\n` : article(node)),
  end: () => '</body>\n</html>\n',
};

function article(node: Node): string {
  const text = nodeText(node).trimEnd();
  const argument = callTextOf(node);
  const exit = node.kind === 'external' && node.external.exit_code ? ` exit ${node.external.exit_code}` : '';
  const body = bodyOf(node);
  const call = body === null ? '' : `<pre class="asked">${lined(body)}</pre>\n`;
  const made = new Date(node.created_at_ms).toISOString();
  return `<article id="${node.id}" class="${node.role}">
<header><b>${escapeHtml(speakerOf(node))}</b>${argument === '' ? '' : ` <code>${escapeHtml(argument)}</code>`}${exit} <time datetime="${made}">${made.slice(0, 16).replace('T', ' ')} UTC</time></header>
${call}${text === '' ? '' : `<pre>${escapeHtml(text)}</pre>\n`}</article>
`;
}

/** The lines of a difference by their sign. */
function lined({ kind, text }: CallBody): string {
  if (kind === 'text') return escapeHtml(text);
  const tagged = (line: string): string => {
    const tag = TAGS[line.slice(0, 1)];
    return tag === undefined ? escapeHtml(line) : `<${tag}>${escapeHtml(line)}</${tag}>`;
  };
  return text.split('\n').map(tagged).join('\n');
}

const TAGS: Readonly<Record<string, string>> = { '+': 'ins', '-': 'del' };

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
