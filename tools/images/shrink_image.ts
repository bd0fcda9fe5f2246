import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onAbort } from '../../hub/base/abort.js';
import { HubError } from '../../hub/base/error.js';
import type { InstalledPackages } from '../../hub/base/packages/installed_packages.js';
import { IMAGE_BYTES_MAX, type ShrinkImage } from '../base/image.js';
import type { ToolParts } from '../base/tool_parts.js';
import { usualLimits, watchUse } from '../process/use_limits.js';
import type { Sandbox } from '../sandbox/forms/sandbox.js';
import type { Mount } from '../sandbox/mounts.js';

const PROGRAM = fileURLToPath(new URL('./shrink_image.js', import.meta.url));
const INSIDE = '/run/cognition';
const SHRINK_MS_MAX = 30_000;
const MEMORY_BYTES_MAX = 2_000_000_000;
const ERROR_LENGTH_MAX = 200;

interface ShrinkerParts extends Pick<ToolParts, 'sessionsFolder'> {
  sandbox: Sandbox;
  packages: InstalledPackages;
}

interface Started {
  program: string;
  arguments: readonly string[];
  /** The folder of packages, as the process sees it. */
  modules: string;
  release(): void;
}

/**
 * Makes images smaller, each in a process of its own that lives for one image: what decodes it is a large library, and the bytes
 * may be hostile. In the sandbox that process sees the system, the library and nothing else, and has no network.
 */
export function createImageShrinker({ sandbox, packages, sessionsFolder }: ShrinkerParts): ShrinkImage {
  return async (bytes, signal) => {
    const folder = realpathSync(packages.folderOf('sharp'));
    const tmp = mkdtempSync(join(sessionsFolder, 'image-'));
    try {
      return await shrunk(await started({ sandbox, folder, tmp }), { bytes, signal, tmp });
    } finally {
      rmSync(tmp, { recursive: true, force: true });
    }
  };
}

async function started({ sandbox, folder, tmp }: { sandbox: Sandbox; folder: string; tmp: string }): Promise<Started> {
  const { kind } = await sandbox.report();
  if (kind === 'none' || kind === 'sandbox-exec') {
    return { program: process.execPath, arguments: [PROGRAM], modules: folder, release: () => undefined };
  }
  const shown = (name: string, source: string, isFolder: boolean): Mount => {
    return { kind: 'bind', path: `${INSIDE}/${name}`, source, isFolder, writable: false };
  };
  const wrapped = await sandbox.wrap({
    ...{ program: `${INSIDE}/node`, arguments: [`${INSIDE}/shrink_image.mjs`], cwd: '/tmp', tmp },
    policy: { kind: 'contained', network: false, writable: [], readable: [] },
    mounts: [
      shown('node', realpathSync(process.execPath), false),
      shown('shrink_image.mjs', PROGRAM, false),
      shown('node_modules', folder, true),
    ],
  });
  return { ...wrapped, modules: `${INSIDE}/node_modules` };
}

interface Work {
  bytes: Buffer;
  signal: AbortSignal;
  tmp: string;
}

function shrunk({ program, arguments: given, modules, release }: Started, work: Work): Promise<Buffer> {
  const { bytes, signal, tmp } = work;
  return new Promise((resolve, reject) => {
    const child = spawn(program, given, { cwd: '/', env: { LC_ALL: 'C' }, stdio: 'pipe' });
    let excess: string | null = null;
    const end = (reason: string): void => {
      excess ??= reason;
      child.kill('SIGKILL');
    };
    const limits = { ...usualLimits(tmp), memoryBytesMax: MEMORY_BYTES_MAX };
    const stops = [watchUse(child.pid ?? 0, limits, end), onAbort(signal, () => end('it was cancelled'))];
    const timer = setTimeout(() => end(`it took longer than ${SHRINK_MS_MAX / 1_000} s`), SHRINK_MS_MAX);
    const heard = listen(child, () => end('it became larger'));
    child.once('error', (error) => end(error.message));
    child.once('close', (code) => {
      clearTimeout(timer);
      for (const stop of stops) stop();
      release();
      if (signal.aborted) return reject(new HubError('cancelled', 'making the image smaller was cancelled'));
      if (code === 0 && excess === null) return resolve(Buffer.concat(heard.pieces));
      reject(new HubError('limit', `it could not be made smaller: ${excess ?? heard.error()}`));
    });
    child.stdin.write(`${JSON.stringify({ modules })}\n`);
    child.stdin.end(bytes);
  });
}

function listen(child: ChildProcess, tooMuch: () => void) {
  const pieces: Buffer[] = [];
  let size = 0;
  let errors = '';
  // One that has ended reads no more, which its end tells.
  child.stdin?.on('error', () => undefined);
  child.stdout?.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > IMAGE_BYTES_MAX) tooMuch();
    else pieces.push(piece);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERROR_LENGTH_MAX);
  });
  return { pieces, error: () => errors.replace(/[\s\p{Cc}]+/gu, ' ').trim() || 'its process ended' };
}
