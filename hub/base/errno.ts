/** The code of a system's or a library's error, such as ENOENT; null when it has none. */
export function errnoOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
