/** The first digits of an id, as a person writes it. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** A number with its noun: 1 node, 2 nodes, 3 branches. */
export function count(number: number, noun: string): string {
  const plural = /(?:s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
  return `${formatNumber(number)} ${number === 1 ? noun : plural}`;
}

/** A whole number with its thousands apart; the language's own formatter takes 10 ms to load. */
export function formatNumber(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size as a person reads it. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit] ?? 'bytes'}`;
}
