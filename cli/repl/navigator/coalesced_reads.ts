/** Reads on each call: one reading at a time, and one more after it however many calls came meanwhile. */
export function createCoalescedRead(read: () => Promise<void>, failed: (error: unknown) => void): () => void {
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
