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
