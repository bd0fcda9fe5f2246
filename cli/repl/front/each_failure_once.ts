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
  const isRepeated = (happening: DisplayEvent): boolean => {
    if (happening.kind !== 'failure') return false;
    if (told.has(happening.message)) return true;
    told.add(happening.message);
    return false;
  };
  return {
    front: { ...shown, show: (happening) => (isRepeated(happening) ? Promise.resolve() : shown.show(happening)) },
    begin() {
      told = new Set();
    },
  };
}
