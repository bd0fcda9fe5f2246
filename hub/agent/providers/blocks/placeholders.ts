/** What is sent where servers refuse nothing at all: they are part of prefixes, so they never change. */
export const NO_OUTPUT = '(no output)';
export const BEGINNING = '(the conversation begins)';
