/** Whether a value can be printed as JSON and read back the same. `1e999` is read as infinity, which cannot. */
export function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || (Array.isArray(value) ? value : Object.values(value)).every(isJson);
    default:
      return false;
  }
}

/** The same for an object with any keys. */
export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value);
}
