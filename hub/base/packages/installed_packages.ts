import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HubError } from '../error.js';

/** The packages that are no part of this program, and are used where a person installs them beside it. */
export type PackageName = '@anthropic-ai/bedrock-sdk' | '@anthropic-ai/vertex-sdk' | 'sharp';

/** A package that is there: `require` also finds what it depends on. */
export interface InstalledPackage {
  exports: unknown;
  require: NodeJS.Require;
}

export interface InstalledPackages {
  /** Whether a package is there; it is not loaded. */
  has(name: PackageName): boolean;
  /** The folder of packages that it is in. One that is not there is refused with a hint how to install it. */
  folderOf(name: PackageName): string;
  load(name: PackageName): InstalledPackage;
  /** How a person installs it. */
  installLine(name: PackageName): string;
}

/**
 * Finds packages in a folder for them, beside this program, and among those that are installed for everybody: never in a
 * project, where a model may have written them.
 */
export function installedPackages(ownFolder: string, beside: readonly string[] = besideProgram()): InstalledPackages {
  const folders = [join(ownFolder, 'node_modules'), ...beside];
  const find = (name: PackageName): string | undefined =>
    folders.find((folder) => existsSync(join(folder, name, 'package.json')));
  const installLine = (name: PackageName): string => `npm install --prefix ${ownFolder} ${name}`;
  const folderOf = (name: PackageName): string => {
    const folder = find(name);
    if (folder !== undefined) return folder;
    throw new HubError('rejected', `the package ${name} is not installed`, {
      hint: `install it: ${installLine(name)}`,
    });
  };
  return {
    has: (name) => find(name) !== undefined,
    installLine,
    folderOf,
    load(name) {
      const folder = folderOf(name);
      try {
        // A module of this name need not be there: what it could require is found from where it would be.
        return {
          exports: createRequire(join(folder, 'beside.cjs'))(name),
          require: createRequire(join(folder, name, 'package.json')),
        };
      } catch (error) {
        const [line] = String(error instanceof Error ? error.message : error).split('\n');
        throw new HubError('rejected', `the package ${name} cannot be loaded: ${line}`, {
          hint: `install it anew: ${installLine(name)}`,
          cause: error,
        });
      }
    },
  };
}

/** The folders of packages of this program, of what is installed beside it, and of this Node. */
function besideProgram(): string[] {
  const program = programFolder();
  const prefix = dirname(dirname(process.execPath));
  const siblings = [dirname(program)].filter((folder) => basename(folder) === 'node_modules');
  return [join(program, 'node_modules'), ...siblings, join(prefix, 'lib', 'node_modules')];
}

/** The nearest folder with a manifest: the bundles lie one below it, the source deeper. */
function programFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
