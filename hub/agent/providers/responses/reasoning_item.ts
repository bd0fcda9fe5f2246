import * as z from 'zod';

/** Marks a stored signature as a whole reasoning item; a real signature has no colon. */
const ITEM = 'reasoning_item:';

/** An encrypted item: what it holds beyond this is kept, too. */
const ReasoningItem = z.looseObject({
  type: z.literal('reasoning'),
  id: z.string(),
  summary: z.array(z.looseObject({ type: z.literal('summary_text'), text: z.string() })),
  encrypted_content: z.string().min(1),
});
export type ReasoningItem = z.infer<typeof ReasoningItem>;

/** The signature that a reasoning item is stored as; null for one that could not be sent back. */
export function reasoningSignature(item: unknown): string | null {
  return ReasoningItem.safeParse(item).success ? `${ITEM}${JSON.stringify(item)}` : null;
}

/** The item of a signature, unchanged; null for a signature of another kind. */
export function reasoningItem(signature: string | null): ReasoningItem | null {
  if (signature === null || !signature.startsWith(ITEM)) return null;
  try {
    return ReasoningItem.safeParse(JSON.parse(signature.slice(ITEM.length))).data ?? null;
  } catch {
    return null; // an imported tree may hold anything
  }
}
