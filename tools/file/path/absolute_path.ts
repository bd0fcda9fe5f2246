import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { HubError } from '../../../hub/base/error.js';
import type { ToolCall } from '../../base/outcome.js';
import type { ToolParts } from '../../base/tool_parts.js';
import { fallbackOn, shownPath } from './file_errors.js';

/** A path, and the folder that it is relative to. */
export interface PathRequest {
  path: string;
  cwd: string | null;
  place: ToolCall['place'];
  /** Whether it is a person's own call. */
  isOpen: boolean;
}

/** The absolute path of a request. */
export async function absolutePath(parts: ToolParts, request: PathRequest): Promise<string> {
  const { path, isOpen } = request;
  if (path.includes('\0')) {
    throw new HubError('invalid_params', `the path ${JSON.stringify(path)} holds a zero character`, {
      hint: 'no file can have such a name',
    });
  }
  if (path === '~' || path.startsWith('~/')) {
    if (isOpen) return `${resolve(parts.machine.userHome, `.${path.slice(1)}`)}${path.endsWith('/') ? '/' : ''}`;
    throw new HubError('invalid_params', `${shownPath(path)}: ~ stands for nothing here`, {
      hint: 'write the whole path, from / on',
    });
  }
  const absolute = isAbsolute(path) ? resolve(path) : resolve(await baseFolder(parts, request), path);
  // A slash at the end means a folder, so it is kept for the system.
  return /\/\.?$/.test(path) && absolute !== '/' ? `${absolute}/` : absolute;
}

/** Where an absolute path really leads, as far as it is there. */
export async function realPathOfName(path: string): Promise<string> {
  const real = await fallbackOn('any', realpath(path), null);
  const folder = dirname(path);
  return real ?? (folder === path ? path : join(await realPathOfName(folder), basename(path)));
}

async function baseFolder(parts: ToolParts, { path, cwd, place, isOpen }: PathRequest): Promise<string> {
  if (cwd !== null && isAbsolute(cwd)) return cwd;
  if (cwd !== null) {
    throw new HubError('invalid_params', `the folder ${shownPath(cwd)} is not absolute`, { hint: 'begin it with /' });
  }
  const folders = place === null ? null : await parts.hub.call('loom.context_get_place', { node: place.node });
  const branchFolder = (isOpen ? folders?.person_cwd : folders?.model_cwd) ?? null;
  if (branchFolder !== null) return branchFolder;
  throw new HubError('invalid_params', `${shownPath(path)} begins nowhere: the branch has no folder yet`, {
    hint: 'give the whole path, from / on',
  });
}
