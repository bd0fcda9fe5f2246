import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import makefile from 'highlight.js/lib/languages/makefile';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { Style } from '../look/style.js';

/** Highlights code line by line: a construct of several lines, such as a long comment, goes on. */
export interface CodeInk {
  /** The next line with its colours. */
  take(line: string): string;
  /** The same for a line that is not complete yet. */
  peek(line: string): string;
}

const LANGUAGES = {
  ...{ bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, makefile, python, ruby },
  ...{ rust, shell, sql, typescript, xml, yaml },
};
// How much code is highlighted again because a construct in it is still open.
const OPEN_LINES_MAX = 40;
const OPEN_LENGTH_MAX = 4_000;
const LINE_LENGTH_MAX = 1_000;
/** The rest of a longer block is not highlighted. */
const LINES_MAX = 4_000;

for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);

/** The highlighter for a language; null for an unknown one. */
export function codeInk(language: string, style: Style): CodeInk | null {
  const name = language.toLowerCase().replace(/[{,:].*$/, '');
  if (highlighter.getLanguage(name) === undefined) return null;
  let open: string[] = [];
  let openLength = 0;
  let taken = 0;
  const inked = (line: string): { text: string; isOpen: boolean } => {
    if (taken > LINES_MAX || line.length > LINE_LENGTH_MAX) return { text: line, isOpen: false };
    const code = `${[...open, line].join('\n')}\n`;
    return lastLine(highlighter.highlight(code, { language: name, ignoreIllegals: true }).value, style);
  };
  return {
    peek: (line) => inked(line).text,
    take(line) {
      const { text, isOpen } = inked(line);
      taken += 1;
      openLength += line.length;
      open = isOpen && open.length < OPEN_LINES_MAX && openLength < OPEN_LENGTH_MAX ? [...open, line] : [];
      if (open.length === 0) openLength = 0;
      return text;
    },
  };
}

const PART = /<span class="([^"]*)">|(<\/span>)|([^<]+)/g;

/** Converts highlighted HTML: the last line with its colours, and whether a construct is still open after it. */
function lastLine(markup: string, style: Style): { text: string; isOpen: boolean } {
  const scopes: string[] = [];
  let lines: string[] = [''];
  let depthAtEnd = 0;
  for (const [, opened, closed, raw] of markup.matchAll(PART)) {
    if (opened !== undefined) scopes.push(opened);
    else if (closed !== undefined) scopes.pop();
    else if (raw !== undefined) {
      const ink = inkOf(scopes.at(-1) ?? '', style);
      const [first = '', ...others] = unescaped(raw).split('\n');
      lines[lines.length - 1] += inkLine(first, ink);
      lines = [...lines, ...others.map((line) => inkLine(line, ink))].slice(-2);
      if (others.length > 0) depthAtEnd = scopes.length;
    }
  }
  return { text: lines.at(-2) ?? '', isOpen: depthAtEnd > 0 };
}

function inkLine(line: string, ink: (text: string) => string): string {
  return line.trim() === '' ? line : ink(line);
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** There are only 16 colours: the most useful kinds of code get one. */
function inkOf(scope: string, style: Style): (text: string) => string {
  if (/comment|quote|meta/.test(scope)) return style.quiet;
  if (/string|regexp|addition/.test(scope)) return style.good;
  if (/keyword|built_in|selector|tag|name/.test(scope)) return style.user;
  if (/number|literal|symbol|attr|variable/.test(scope)) return style.tool;
  if (/deletion/.test(scope)) return style.failure;
  return /title|section|type/.test(scope) ? style.strong : (text) => text;
}
