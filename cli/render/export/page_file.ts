import { createHash } from 'node:crypto';

/** What a page that is one file is made of. */
export interface PageFileParts {
  title: string;
  /** The program of the page and its style sheet, as they were built. */
  script: string;
  style: string;
  /** The tree: JSON, gzipped, in base64. */
  data: string;
  /** The same as HTML, for readers without script; made by the components of the page, which escape every text. */
  plain: string;
}

/** One self-contained HTML file. Nothing may be loaded, and only this script and this style sheet apply, by their hashes. */
export function pageFile({ title, script, style, data, plain }: PageFileParts): string[] {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const name = escapeHtml(title);
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
    '<meta name="referrer" content="no-referrer">\n',
    `<title>${name}</title>\n<style>${style}</style>\n</head>\n<body>\n<div id="app"></div>\n`,
    `<noscript><main class="static"><h1>${name}</h1>\n${plain}</main></noscript>\n`,
    `<script type="application/octet-stream" id="data">${data}</script>\n`,
    `<script>${script}</script>\n</body>\n</html>\n`,
  ];
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
