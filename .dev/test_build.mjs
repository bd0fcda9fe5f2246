// Vitest runs this once before all tests: real processes are started from dist/.
import { bundle } from './build.mjs';

export default async function setup() {
  await bundle();
}
