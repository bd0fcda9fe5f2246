/** Sent where servers refuse empty content. They are part of prefixes, so they never change. */
export const NO_OUTPUT = '(no output)';
export const BEGINNING = '(the conversation begins)';
