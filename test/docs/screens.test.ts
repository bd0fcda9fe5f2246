import { describe, expect, test } from 'vitest';
import { SCREENS } from './screens.js';

describe.each(SCREENS)('$name', ({ isMade, shown, make }) => {
  test.skipIf(!isMade)('is what `npm run docs` makes of the program', async () => {
    expect((await make()).words).toEqual(shown());
  });
});
