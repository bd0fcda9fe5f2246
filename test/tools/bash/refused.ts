import { HubError } from '../../../hub/base/error.js';

/** The HubError that a call is refused with; anything else fails the test. */
export function refused(call: Promise<unknown>): Promise<HubError> {
  return call.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: unknown) => {
      if (error instanceof HubError) return error;
      throw error;
    },
  );
}
