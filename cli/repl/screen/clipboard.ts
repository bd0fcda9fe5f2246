/** What terminals take as a clipboard, as base64. */
const COPIED_LENGTH_MAX = 74_994;

/** Asks the terminal to take a text into the clipboard (OSC 52); it does not say whether it has. */
export function copied(text: string): boolean {
  const data = Buffer.from(text).toString('base64');
  if (data.length > COPIED_LENGTH_MAX) return false;
  process.stdout.write(`\x1b]52;c;${data}\x07`);
  return true;
}
