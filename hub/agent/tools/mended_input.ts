import type { z } from 'zod';

/**
 * The input of a call with its values in the forms that the tool wants: models write `"5"` for 5, text for lists, and null for
 * what they leave out. What was wanted as text is never touched.
 */
export function mendedInput(input: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const mended = structuredClone(input);
  for (const { code, path } of issues) if (code === 'invalid_type') mendAt(mended, path);
  return mended;
}

function mendAt(input: unknown, path: readonly PropertyKey[]): void {
  const key = path.at(-1);
  const holder = path.slice(0, -1).reduce<unknown>((value, name) => propertyOf(value, name), input);
  if (key === undefined || typeof holder !== 'object' || holder === null) return;
  const value = propertyOf(holder, key);
  if (value === null) Reflect.deleteProperty(holder, key);
  else if (typeof value === 'string') Reflect.set(holder, key, parsed(value));
}

function propertyOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text; // it is no other value in quotes
  }
}
