// What other programs have written is of any shape: a field of the wrong type counts as absent.

export function field(value: unknown, ...names: readonly string[]): unknown {
  let at = value;
  for (const name of names) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
  }
  return at;
}

export function textField(value: unknown, ...names: readonly string[]): string | null {
  const found = field(value, ...names);
  return typeof found === 'string' ? found : null;
}

export function numberField(value: unknown, ...names: readonly string[]): number | null {
  const found = field(value, ...names);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

export function listField(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = field(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** A time as text or as milliseconds; 0 for none. */
export function timeField(value: unknown, ...names: readonly string[]): number {
  const found = field(value, ...names);
  return wholeTime(typeof found === 'string' ? Date.parse(found) : found);
}

/** A time in seconds as milliseconds; 0 for none. */
export function secondsField(value: unknown, ...names: readonly string[]): number {
  return wholeTime((numberField(value, ...names) ?? 0) * 1000);
}

const TIME_MAX = 8.64e15;

function wholeTime(atMs: unknown): number {
  return typeof atMs === 'number' && atMs > 0 && atMs < TIME_MAX ? Math.trunc(atMs) : 0;
}

/** The JSON that a text holds; else the text itself under one key. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text }; // not every tool takes JSON
  }
}
