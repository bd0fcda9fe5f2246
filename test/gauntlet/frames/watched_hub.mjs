// The hub, with a witness: when it ends it writes what it has of promises that nobody handled, and of names in the prototypes of all objects.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const unhandled = [];
process.on('unhandledRejection', (reason) => unhandled.push(String(reason)));
process.on('exit', () => {
  const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype].map(Reflect.ownKeys);
  writeFileSync(
    join(process.cwd(), '..', 'witness.json'),
    JSON.stringify({ unhandled, prototypes: prototypes.map((keys) => keys.map(String)) }),
  );
});
await import('../../../dist/hub.js');
