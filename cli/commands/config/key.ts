/** The argument of the commands about one preference. */
export const KEY = {
  name: 'key',
  required: true,
  description: 'as config list prints it',
  completes: 'preference',
} as const;

/** The option that chooses the project's file instead of one's own. */
export const PROJECT = {
  name: 'project',
  short: null,
  description: 'in the file .cognition/config of this project instead of your own',
} as const;
