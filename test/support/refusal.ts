import { HubError } from '../../hub/base/error.js';

/** The HubError that an action is refused with; any other outcome fails the test. */
export function refusal(act: () => unknown): HubError {
  try {
    act();
  } catch (error) {
    if (error instanceof HubError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}
