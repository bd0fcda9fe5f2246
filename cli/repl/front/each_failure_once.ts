import type { DisplayEvent, Front } from './front.js';

/** A front that is told the same failure by several, and shows it once. */
export interface UnrepeatedFront {
  front: Front;
  /** The person does something else: from now on each failure is an answer to that. */
  begin(): void;
}

/** What fails because of one thing, such as a hub that is gone, says so in each place; a person wants to read it once. */
export function unrepeated(shown: Front): UnrepeatedFront {
  let told = new Set<string>();
  const isRepeated = (event: DisplayEvent): boolean => {
    if (event.kind !== 'failure') return false;
    if (told.has(event.message)) return true;
    told.add(event.message);
    return false;
  };
  return {
    front: { ...shown, show: (event) => (isRepeated(event) ? Promise.resolve() : shown.show(event)) },
    begin() {
      told = new Set();
    },
  };
}
