import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BUSY_TRIES = 3_000;

/** Whether a command runs successfully here. */
export function tries(command: string, given: readonly string[]): boolean {
  try {
    execFileSync(command, given, { stdio: 'ignore' });
    return true;
  } catch {
    return false; // not installed or not permitted: the test that needs it is left out
  }
}

/** Mounts a small disk of its own on a folder. */
export function mountDisk(folder: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
}

export function growDisk(folder: string, size: string): void {
  execFileSync('mount', ['-o', `remount,size=${size}`, folder]);
}

export function makeReadOnly(folder: string): void {
  execFileSync('mount', ['-o', 'remount,ro', folder]);
}

/** Lets a folder be seen at its place, but not be changed there, whoever has something of it open. */
export function bindReadOnly(folder: string): void {
  execFileSync('mount', ['--bind', folder, folder]);
  // What has been killed may have children that write a last word there.
  for (let count = 1; ; count += 1) {
    const { status, stderr } = spawnSync('mount', ['-o', 'remount,bind,ro', folder], { encoding: 'utf8' });
    if (status === 0) return;
    if (count >= BUSY_TRIES || !stderr.includes('busy')) throw new Error(stderr);
  }
}

export function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder]);
}

/** Whether tests may mount: on Linux, as root. */
export const canMount = process.platform === 'linux' && triesMount();

function triesMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'cognition-mount-'));
  const can = tries('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place]) && tries('umount', [place]);
  rmdirSync(place);
  return can;
}
