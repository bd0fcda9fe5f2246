import type { LanguageFn } from 'highlight.js';
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { type ComponentChildren, h } from 'preact';

const LANGUAGES: Readonly<Record<string, LanguageFn>> = {
  ...{ bash, c, diff, dockerfile, go, ini, json, python },
  ...{ rust, sql, typescript, xml, yaml },
};
const LENGTH_MAX = 60_000;
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);

/** Other names of a language, and what is read as another: a grammar of its own would weigh more than it is worth. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...['javascript', 'js', 'jsx', 'mjs', 'cjs'].map((name): [string, string] => [name, 'typescript']),
  ['cpp', 'c'],
  ['c++', 'c'],
]);

/** A list rather than a record: the ending of a file may be `constructor`. */
const BY_ENDING: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ bash: 'bash', c: 'c', cc: 'c', cpp: 'c', diff: 'diff', go: 'go', h: 'c' },
    ...{ html: 'xml', ini: 'ini', js: 'typescript', json: 'json', jsx: 'typescript', mjs: 'typescript' },
    ...{ patch: 'diff', py: 'python', rs: 'rust', sh: 'bash', sql: 'sql', svg: 'xml', toml: 'ini' },
    ...{ ts: 'typescript', tsx: 'typescript', xml: 'xml', yaml: 'yaml', yml: 'yaml' },
  }),
);

/** The language of a file by the ending of its name; empty for an unknown one. */
export function languageOf(path: string): string {
  return BY_ENDING.get(path.split('.').at(-1)?.toLowerCase() ?? '') ?? '';
}

/** Code as elements with a class for each kind of word. */
export function inked(text: string, language: string): ComponentChildren {
  const word = language.toLowerCase().replace(/[{,:\s].*$/s, '');
  const name = ALIASES.get(word) ?? word;
  if (text.length > LENGTH_MAX || name === '' || highlighter.getLanguage(name) === undefined) return text;
  const spans = createSpans();
  const { _emitter: emitter } = highlighter.highlight(text, { language: name, ignoreIllegals: true });
  // The tree that the highlighter makes: its HTML is never used.
  const tree: unknown = Reflect.get(emitter, 'rootNode');
  return spans(tree) ?? text;
}

/** Draws the highlighter's tree, which is as deep as its grammars nest; null for what is no tree. */
function createSpans(): (node: unknown) => ComponentChildren[] | null {
  const draw = (node: unknown): ComponentChildren[] | null => {
    const children: unknown = node !== null && typeof node === 'object' ? Reflect.get(node, 'children') : null;
    if (!Array.isArray(children)) return null;
    return children.map((child: unknown, key) => {
      if (typeof child === 'string') return child;
      const scope: unknown = Reflect.get(Object(child), 'scope');
      return h('span', { key, class: `x-${String(scope ?? '').split(/[.:]/)[0]}` }, draw(child));
    });
  };
  return draw;
}
