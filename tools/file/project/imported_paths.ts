/** More are not looked for in one file. */
const IMPORTS_MAX = 100;

/** The paths that a file of instructions names as `@path`, as they are written, outside of code. */
export function importedPaths(text: string): string[] {
  const named = [...proseOf(text).matchAll(/(?<=^|\s)@((?:\\ |\S)+)/gm)].slice(0, IMPORTS_MAX);
  const paths = named.map(([, path = '']) => path.replaceAll('\\ ', ' ').replace(/#.*$/, ''));
  // What ends a sentence or stands around a name is seldom its last letter.
  return paths.map((path) => path.replace(/[),.;:!?'"\]>*]+$/, '')).filter((path) => path !== '');
}

/** The lines outside of fenced code, without what stands in backquotes. */
function proseOf(text: string): string {
  let fence: string | null = null;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const [, mark = '', rest = ''] = /^\s*(`{3,}|~{3,})?(.*)$/.exec(line) ?? [];
    if (fence !== null) fence = mark.startsWith(fence) && rest.trim() === '' ? null : fence;
    else if (mark !== '' && !rest.includes('`')) fence = mark;
    else lines.push(line.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, ''));
  }
  return lines.join('\n');
}
