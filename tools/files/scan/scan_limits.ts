import { HubError } from '../../../hub/base/error.js';

/** What one snapshot may take. */
export interface ScanLimits {
  fileBytes: number;
  files: number;
  /** Content that is new to the store. */
  newFiles: number;
  newBytes: number;
  ms: number;
}

export function tooMuch(what: string): HubError {
  return new HubError('limit', `the files of the project were not recorded: ${what}`, {
    hint: 'name what programs make in .gitignore',
  });
}

/** What was read is kept, and is not read again. */
export function tooLong(ms: number): HubError {
  return new HubError('limit', `not all files of the project are recorded yet: ${ms / 1_000} s were not enough`, {
    hint: 'with the next step it goes on from there; name what programs make in .gitignore',
    retryable: true,
  });
}
