import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A command of a document, with what the document says that it prints. */
export interface Shown {
  line: number;
  command: string;
  output: string[];
}

/** The commands in the console blocks of a document: what follows `$ `, up to the next one. */
export function shownCommands(markdown: string): Shown[] {
  const shown: Shown[] = [];
  let isConsole = false;
  markdown.split('\n').forEach((text, index) => {
    if (text.startsWith('```')) isConsole = text === '```console';
    else if (isConsole && text.startsWith('$ ')) shown.push({ line: index + 1, command: text.slice(2), output: [] });
    else if (isConsole) shown.at(-1)?.output.push(text);
  });
  return shown.map((one) => ({
    ...one,
    output: one.output.filter((text, index) => text !== '' || index < one.output.length - 1),
  }));
}

/** A place where the commands of one document run: a home and a folder of their own. */
export function openConsole(folder: string): (command: string) => string[] {
  for (const name of ['bin', 'work']) mkdirSync(join(folder, name));
  symlinkSync(join(root, 'dist/cognition.cjs'), join(folder, 'bin/cognition'));
  for (const name of ['docs', 'dist', 'node_modules']) symlinkSync(join(root, name), join(folder, 'work', name));
  writeFileSync(join(folder, 'work/main.py'), 'print("hello")\n');
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
    HOME: folder,
    COGNITION_HOME: join(folder, 'home'),
    TMPDIR: folder,
    LANG: 'C.UTF-8',
  };
  return (command) => {
    const { stdout } = spawnSync('bash', ['-c', `{ ${command}\n} 2>&1`], {
      cwd: join(folder, 'work'),
      env,
      encoding: 'utf8',
    });
    return stdout === ''
      ? []
      : stdout
          .trimEnd()
          .split('\n')
          .map((text) => text.trimEnd());
  };
}

/** The document with what its commands printed this time, where that is not what it shows. */
export function corrected(markdown: string, run: (command: string) => string[]): string {
  const lines = markdown.split('\n');
  let shift = 0;
  for (const { line, command, output } of shownCommands(markdown)) {
    const printed = run(command);
    if (agrees(output, printed)) continue;
    lines.splice(line + shift, output.length, ...printed);
    shift += printed.length - output.length;
  }
  return lines.join('\n');
}

/** Replaces what differs from run to run, so that a document can show real ids and ages. */
function settled(text: string): string {
  return text
    .replaceAll(/\S+\/sessions\/\d{4}(-\d\d){5}-[0-9a-f]{8}\.json/g, '<transcript>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8}\b/g, '<id>')
    .replaceAll(/[\d,]+ tokens +/g, '<count> ')
    .replaceAll(/\b(just now|now|\d+ ?(s|m|seconds?|minutes?)( ago)?)\b/g, '<age>');
}

/** Whether what was printed is what the document shows; a line `…` stands for any lines. */
export function agrees(shown: readonly string[], printed: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return printed.length === 0;
  if (first === '…') return printed.some((_, index) => agrees(rest, printed.slice(index))) || rest.length === 0;
  const [line, ...others] = printed;
  return line !== undefined && settled(line) === settled(first) && agrees(rest, others);
}
