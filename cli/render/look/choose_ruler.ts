import { isSimple, plainRuler, type Ruler } from './ruler.js';

/** Loads the ruler that these texts need. */
export async function rulerFor(texts: Iterable<string>): Promise<Ruler> {
  for (const text of texts) {
    if (!isSimple(text)) return (await import('./wide_ruler.js')).wideRuler;
  }
  return plainRuler;
}
