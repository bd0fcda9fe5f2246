import { expect, test } from 'vitest';
import { withHome } from '../../support/hub.js';

const LIBRARY = new URL('../../../dist/client.js', import.meta.url).href;

test('a program tells a failure by the class that the library exports', () =>
  withHome(async (home) => {
    const library: typeof import('../../../hub/client/client.js') = await import(LIBRARY);
    const failure = await library.connect({ home, start: false }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(library.HubError);
    expect(failure).toMatchObject({ name: 'HubError', kind: 'unreachable', retryable: true });
  }));
