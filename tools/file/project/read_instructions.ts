import { dirname, join, relative, resolve } from 'node:path';
import { isWithin } from '../../../hub/base/is_within.js';
import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { MachinePaths } from '../../base/tool_parts.js';
import { isSecret } from '../../policy/path_rules.js';
import { type Root, resolveBelow, withRoot } from '../../walk/resolve_below.js';
import { importedPaths } from './imported_paths.js';
import { type FileText, readText } from './project_text.js';

type Instructions = ResultOf<'file.project_read'>['instructions'];

const FILE_BYTES_MAX = 32_768;
const BYTES_MAX = 262_144;
const FOLDERS_MAX = 32;
/** How deep files may import files. */
const DEPTH_MAX = 5;
const NAMES = ['AGENTS.md', 'CLAUDE.md', 'CLAUDE.local.md'];
/** What a person may import of their own that is hidden from models. */
const NOTES = /\.(md|markdown|txt)$/i;

export interface InstructionsRequest {
  project: Root;
  /** Where the turn works: a folder of the project. */
  cwd: string;
  machine: MachinePaths;
  /** Gains the files that were not read. */
  refused: Set<string>;
}

/** The instructions of the person, then those of the project from its top down to the working folder; each text once. */
export function readInstructions(request: InstructionsRequest): Instructions {
  const { project, cwd, machine } = request;
  const reader = createReader(request);
  for (const path of ownFiles(machine)) reader.readOwn(path);
  for (const folder of foldersDown(project.path, cwd)) {
    for (const name of NAMES) reader.readOfProject(join(folder, name));
  }
  return reader.files;
}

function ownFiles({ cognitionHome, userHome }: MachinePaths): string[] {
  const ofCognition = ['AGENTS.md', 'CLAUDE.md'].map((name) => join(cognitionHome, name));
  return [...ofCognition, join(userHome, '.agents', 'AGENTS.md'), join(userHome, '.claude', 'CLAUDE.md')];
}

function foldersDown(top: string, bottom: string): string[] {
  const folders = [bottom];
  for (let at = bottom; at !== top && at !== dirname(at) && folders.length < FOLDERS_MAX; at = dirname(at)) {
    folders.push(dirname(at));
  }
  return folders.reverse();
}

function createReader({ project, machine, refused }: InstructionsRequest) {
  const files: Instructions = [];
  const known = new Set<string>();
  let bytesLeft = BYTES_MAX;
  const limits = () => ({ held: project.path, bytesMax: Math.max(0, Math.min(FILE_BYTES_MAX, bytesLeft)), refused });

  /** A file of the project imports nothing but files of the project: a model may have written it. */
  function readOfProject(path: string, depth = 0): void {
    if (!isWithin(path, project.path)) {
      if (isThere(path)) refused.add(path);
      return;
    }
    const found = readText({ ...limits(), root: project, path: relative(project.path, path), machine });
    if (found !== null)
      take(path, found, depth < DEPTH_MAX ? (name) => readOfProject(pathOf(name, path), depth + 1) : null);
  }

  /** A file of the person's may be anywhere, and a link to anywhere but through the project; what lies in there is the project's. */
  function readOwn(path: string, depth = 0): void {
    const found = withRoot('/', (root) => readText({ ...limits(), root, path, machine: null }));
    if (found === null) return;
    if (isWithin(found.real, project.path) && !isSecret(found.real, machine)) readOfProject(found.real, depth);
    else if (depth > 0 && isSecret(found.real, machine) && !NOTES.test(found.real)) refused.add(path);
    else take(path, found, depth < DEPTH_MAX ? (name) => readOwn(pathOf(name, path), depth + 1) : null);
  }

  function take(path: string, { real, text, cutFrom }: FileText, follow: ((name: string) => void) | null): void {
    if (known.has(real) || text.includes('\0')) return;
    known.add(real);
    const said = cutFrom === null ? text.trim() : cutText(text, cutFrom);
    if (said !== '' && !known.has(said)) {
      known.add(said);
      bytesLeft -= Buffer.byteLength(said);
      files.push({ path, text: said, cut: cutFrom !== null });
    }
    if (follow !== null && bytesLeft > 0) importedPaths(text).forEach(follow);
  }

  function pathOf(name: string, importer: string): string {
    return name.startsWith('~/') ? join(machine.userHome, name.slice(2)) : resolve(dirname(importer), name);
  }

  return { files, readOfProject, readOwn };
}

function isThere(path: string): boolean {
  const found = withRoot('/', (root) => resolveBelow(root, { path, held: '/' }, ({ stats }) => stats.isFile()));
  return found?.kind === 'found' && found.value;
}

/** Whole lines, and where the rest begins. */
function cutText(text: string, bytes: number): string {
  const end = text.lastIndexOf('\n') + 1;
  const whole = end === 0 ? text : text.slice(0, end);
  const line = whole.split('\n').length;
  return `${whole}\n[cut here: the file has ${bytes} bytes; the rest begins at line ${line}]`.trim();
}
