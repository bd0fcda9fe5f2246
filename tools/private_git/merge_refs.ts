/** Where refs point, by their whole names. */
export type Refs = ReadonlyMap<string, string>;

export interface RefChange {
  name: string;
  from: string | null;
  to: string | null;
}

/**
 * Takes over what a person has changed since both sides last agreed. What a model has changed stays; the rest of `agreed` tells,
 * when its side is taken over, what it began with.
 */
export function mergeRefs(sides: { agreed: Refs; person: Refs; model: Refs }): { changes: RefChange[]; agreed: Refs } {
  const names = new Set([...sides.agreed.keys(), ...sides.person.keys(), ...sides.model.keys()]);
  const changes: RefChange[] = [];
  const next = new Map<string, string>();
  for (const name of names) {
    const [base, theirs, ours] = [sides.agreed, sides.person, sides.model].map((refs) => refs.get(name) ?? null);
    const isTaken = theirs === ours || ours === base;
    if (isTaken && theirs !== ours) changes.push({ name, from: ours ?? null, to: theirs ?? null });
    const settled = isTaken ? theirs : base;
    if (settled != null) next.set(name, settled);
  }
  return { changes, agreed: next };
}

/** The same for a single value, such as what HEAD names. */
export function mergeValue(agreed: string | null, person: string | null, model: string | null) {
  const isTaken = model === agreed || model === person;
  return { value: isTaken ? person : model, agreed: isTaken ? person : agreed };
}
