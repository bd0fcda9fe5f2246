/**
 * Reads again whenever something has changed: one reading at a time, and one more when something changed meanwhile,
 * however often it did.
 */
export function createRereading(read: () => Promise<void>, failed: (error: unknown) => void): () => void {
  let isReading = false;
  let isStale = false;

  async function run(): Promise<void> {
    isReading = true;
    try {
      while (isStale) {
        isStale = false;
        await read();
      }
    } finally {
      isReading = false;
    }
  }

  return () => {
    isStale = true;
    if (!isReading) run().catch(failed);
  };
}
