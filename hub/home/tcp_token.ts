import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const TOKEN_BYTES = 32;

/** Creates a token and writes it to a file that only its owner can read; the previous token becomes invalid. */
export function writeToken(path: string): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
  return token;
}

/** Removes the file of a token that is no longer valid, unless it holds another hub's token by now. */
export function removeToken(path: string, token: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8').trim() === token) rmSync(path, { force: true });
}

/** Compares in constant time, so that neither content nor length leaks. */
export function isSameToken(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
