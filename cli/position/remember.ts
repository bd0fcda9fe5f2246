import type { Context } from '../command_line/command_context.js';
import { reasonOf } from '../output/failure.js';
import type { Session } from './session_file.js';

/**
 * Saves where one stands after something has been stored. When that fails, as on a full disk, it is a note and no failure:
 * a command that fails is repeated, and what it stored would be there twice.
 */
export async function remember(
  { session, note }: Pick<Context, 'session' | 'note'>,
  change: (session: Session) => Promise<void>,
): Promise<void> {
  try {
    await change(session);
  } catch (error) {
    note(`Where you stand could not be saved and is as it was: ${reasonOf(error)}`);
  }
}
