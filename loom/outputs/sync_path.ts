import { open } from 'node:fs/promises';

/** Makes the content of a file, or the names in a folder, durable. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
