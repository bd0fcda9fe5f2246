/** Kinds of emphasis, named by meaning, so that a renderer never chooses a colour. */
export interface Style {
  user(text: string): string;
  assistant(text: string): string;
  tool(text: string): string;
  quiet(text: string): string;
  here(text: string): string;
  strong(text: string): string;
  match(text: string): string;
  good(text: string): string;
  warning(text: string): string;
  failure(text: string): string;
}

const same = (text: string): string => text;

/** No colour and no emphasis. */
export const plainStyle: Style = {
  user: same,
  assistant: same,
  tool: same,
  quiet: same,
  here: same,
  strong: same,
  match: same,
  good: same,
  warning: same,
  failure: same,
};

/** Loads the colours only when they are needed. */
export async function styleFor(colored: boolean): Promise<Style> {
  if (!colored) return plainStyle;
  const { Chalk } = await import('chalk');
  // The 16 basic colours follow the theme of the terminal.
  const ink = new Chalk({ level: 1 });
  return {
    user: ink.cyan,
    assistant: same,
    tool: ink.yellow,
    quiet: ink.dim,
    here: ink.green.bold,
    strong: ink.bold,
    match: ink.inverse,
    good: ink.green,
    warning: ink.yellow,
    failure: ink.red,
  };
}
