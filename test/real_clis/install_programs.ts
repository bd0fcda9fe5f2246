import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RealProgram } from './real_programs.js';

const INSTALL_MS_MAX = 600_000;

/** Installs a program from the npm registry, once for each version; resolves to what went wrong, or null. */
export function installProgram(folder: string, { name, packages }: RealProgram): string | null {
  const place = join(folder, name);
  const stamp = join(place, 'installed.txt');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === packages.join(' ')) return null;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{}\n');
  const words = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages];
  const { status, stderr, error } = spawnSync('npm', words, { cwd: place, encoding: 'utf8', timeout: INSTALL_MS_MAX });
  if (status !== 0) return (stderr ?? error?.message ?? 'npm failed').trim().split('\n').slice(-3).join(' ');
  writeFileSync(stamp, packages.join(' '));
  return null;
}

/** The folder with the program that npm has made. */
export function binOf(folder: string, { name }: RealProgram): string {
  return join(folder, name, 'node_modules', '.bin');
}
